/**
 * What a writer reports of unreadable lines that a death left unreported, and what it must leave for the judge to see.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { logOf, open, seeLog, started, tick } from '../support/log-bed.js';

/** A run with some events, whose writer is gone. */
function quietRun(): { runDir: string; id: string } {
  const { runDir, writer, id } = started();
  for (let n = 0; n < 3; n++) writer.append(tick(id, n));
  writer.close();
  return { runDir, id };
}

/** Offsets of unreadable lines, and those that `log_repaired` events name. */
function seen(runDir: string): { unreadable: number[]; reported: number[] } {
  const lines = seeLog(runDir);
  return {
    unreadable: lines.filter(({ event }) => event === undefined).map(({ offset }) => offset),
    reported: lines
      .filter(({ event }) => event?.kind === 'log_repaired')
      .map(({ event }) => event.data.offset as number),
  };
}

function lastLine(runDir: string): string {
  return readFileSync(logOf(runDir), 'utf8').trimEnd().split('\n').at(-1) as string;
}

describe('sweep', () => {
  test('sweep: a line fused with a fragment and never repeated → reported by the next writer', () => {
    const { runDir, id } = quietRun();
    const line = lastLine(runDir);
    appendFileSync(logOf(runDir), `${line.slice(0, 40)}${line}\n`);
    open(runDir).append(tick(id));
    const { unreadable, reported } = seen(runDir);
    expect(unreadable).toHaveLength(1);
    expect(reported).toEqual(unreadable);
  });

  test('sweep: reported once → not again by the writers that follow', () => {
    const { runDir, id } = quietRun();
    const line = lastLine(runDir);
    appendFileSync(logOf(runDir), `${line.slice(0, 40)}${line}\n`);
    for (let n = 0; n < 3; n++) {
      const writer = open(runDir);
      writer.append(tick(id));
      writer.close();
    }
    expect(seen(runDir).reported).toHaveLength(1);
  });

  test.each([
    ['cut short and closed', (line: string) => line.slice(0, 60)],
    ['overwritten with NULs', (line: string) => `${line.slice(0, 30)}${'\0'.repeat(40)}${line.slice(70)}`],
    ['one byte changed', (line: string) => line.replace('":', '"!')],
  ])('sweep: an acknowledged record %s in the middle of the log → left for the judge', (_how, damage) => {
    const { runDir, id } = quietRun();
    const lines = readFileSync(logOf(runDir), 'utf8').trimEnd().split('\n');
    lines[2] = damage(lines[2] as string);
    writeFileSync(logOf(runDir), `${lines.join('\n')}\n`);
    open(runDir).append(tick(id));
    const { unreadable, reported } = seen(runDir);
    expect(unreadable).toHaveLength(1);
    expect(reported).toEqual([]);
  });
});
