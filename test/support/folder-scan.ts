/**
 * Scans a folder as a test asks it: what it finds as a list, whole or in parts.
 */
import { expect } from 'vitest';
import { virtualClock } from '../../harness/core/clock.js';
import { scanFolder } from '../../harness/effects/scan-folder.js';
import type { FolderItem, FolderScanned } from '../../harness/effects/scan-folder.js';

export interface Scan extends FolderScanned {
  readonly items: FolderItem[];
}

export function scan(folder: string, options: { rows?: number; ms?: number; resume?: string } = {}): Scan {
  const items: FolderItem[] = [];
  const { resume, ...budget } = options;
  const clock = virtualClock(0, 1);
  const scanned = scanFolder(folder, {
    budget: { clock, ...budget },
    ...(resume === undefined ? {} : { resume }),
    onItem: (item) => items.push(item),
  });
  return { ...scanned, items };
}

/** Scans in parts of so many rows until it is complete. */
export function inParts(folder: string, rows: number): FolderItem[] {
  const items: FolderItem[] = [];
  let resume: string | undefined;
  for (let part = 0; ; part += 1) {
    const scanned: Scan = scan(folder, { rows, ...(resume === undefined ? {} : { resume }) });
    items.push(...scanned.items);
    if (scanned.resume === undefined) return items;
    expect(scanned.resume).not.toBe(resume);
    resume = scanned.resume;
    expect(part).toBeLessThan(2000);
  }
}
