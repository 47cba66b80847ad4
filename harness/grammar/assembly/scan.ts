/**
 * What JavaScript calls: filling in the known names, scanning a piece of a log, asking for strings. Compiled to
 * WebAssembly by build-scanner.mjs; wasm-scanner.ts is the other side.
 */
import { RECORDS_MAX, AT_BYTES, AT_PLAIN, AT_START } from './contract';
import { openHash } from './bytes';
import { resetActions } from './actions';
import { readLine } from './line';
import { INPUT, RECORDS, RECORD_BYTES, SCRATCH, SCRATCH_BYTES, openHeap, takeBlocks } from './memory';
import { openNamesKnown } from './members';
import { settlePending } from './pending';
import { resetSettled } from './settle';
import { resetStrings } from './strings';
import { openTime } from './time';

export { INPUT, RECORDS } from './memory';
export { IDS, NAMES, CALLS, intern, numberOf, sizeOf, textOf, lengthOf } from './strings';
export {
  addName,
  ENVELOPE,
  DATA,
  TOKENS,
  COUNTERFACTUAL,
  KINDS,
  BY,
  PREVENTED_BY,
  TIME_OUTS,
  OTHERS_ROLES,
} from './members';

const LF: u32 = 0x0a;

let end: usize = 0;

/** Once, before anything else. */
export function open(seed: u32): void {
  openHeap();
  openNamesKnown();
  openTime();
  openHash(<u64>seed);
  resetStrings();
}

export function reset(): void {
  resetStrings();
  resetActions();
  resetSettled();
  end = 0;
}

/** Room for so many bytes of a string that JavaScript asks for. */
export function scratch(bytes: usize): usize {
  return bytes <= SCRATCH_BYTES ? SCRATCH : takeBlocks((bytes >> 20) + 1);
}

/** See LogScanner. Positions are counted from the begin of the input. */
export function scan(from: usize, to: usize): u32 {
  const behind = INPUT + to;
  // A line feed behind the last byte, so that a line that is not whole ends as well.
  const kept = load<u8>(behind);
  store<u8>(behind, LF);
  let at = INPUT + from;
  let record = RECORDS;
  let count: u32 = 0;
  while (count < RECORDS_MAX && at < behind) {
    const plainEnd = readLine(at, behind, record);
    const lineEnd = plainEnd == 0 ? lineFeed(at) : plainEnd;
    if (lineEnd >= behind) break;
    store<u32>(record, at - INPUT, AT_START);
    store<u32>(record, lineEnd - at, AT_BYTES);
    store<u32>(record, plainEnd == 0 ? 0 : 1, AT_PLAIN);
    record += RECORD_BYTES;
    at = lineEnd + 1;
    count++;
  }
  settlePending();
  store<u8>(behind, kept);
  end = at - INPUT;
  return count;
}

export function scannedTo(): usize {
  return end;
}

/** Place of the next line feed; there is one. */
function lineFeed(at: usize): usize {
  for (;;) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(0x0a)));
    if (found != 0) return at + ctz<i32>(found);
    at += 16;
  }
  return 0;
}
