/**
 * File operations that go wrong on purpose: the n-th fails, or the process dies with it, or a write takes only half.
 */
import { nodeFileOps } from '../../harness/log/file-ops.js';
import type { FileOps } from '../../harness/log/file-ops.js';

/**
 * `fail`: only that operation fails, with EIO. `crash`: that one and all after it, as if the process were gone.
 * `tear`: a write takes half of its bytes and says so. `tear-crash`: a write takes half, then the process is gone.
 */
export const FAULTS = ['fail', 'crash', 'tear', 'tear-crash'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultyOps {
  readonly ops: FileOps;
  /** Operations asked for so far. */
  readonly count: () => number;
}

/** Operations that touch files; the others cannot fail. */
const FILE_OPERATIONS = [
  'open',
  'read',
  'write',
  'sync',
  'close',
  'factsOf',
  'facts',
  'list',
  'makeFolder',
  'link',
  'rename',
  'remove',
] as const;

/** @param at number of the operation that goes wrong, from 1 */
export function faultyOps(at: number, fault: Fault): FaultyOps {
  let count = 0;
  let gone = false;
  const ops: FileOps = { ...nodeFileOps, pause: () => undefined };
  for (const name of FILE_OPERATIONS) {
    const real = nodeFileOps[name] as (...args: unknown[]) => unknown;
    const faulty = (...args: unknown[]): unknown => {
      count += 1;
      if (gone) throw errno('EIO');
      if (count !== at) return real(...args);
      if (fault === 'crash' || fault === 'tear-crash') gone = true;
      if (fault === 'fail' || fault === 'crash' || name !== 'write') throw errno('EIO');
      const [fd, bytes] = args as [number, Uint8Array];
      const taken = nodeFileOps.write(fd, bytes.subarray(0, Math.floor(bytes.length / 2)));
      if (gone) throw errno('EIO');
      return taken;
    };
    Object.assign(ops, { [name]: faulty });
  }
  return { ops, count: () => count };
}

export function errno(code: string): Error {
  return Object.assign(new Error(`${code}: on purpose`), { code });
}
