/**
 * The log scanner compiled from assembly/: WebAssembly with vectors, several times as fast as the one in TypeScript,
 * and the same records. Its code is embedded, so that no file is read, and compiled once in a process, when first asked
 * for. This side fills in the known names and shows the memory of an instance as a LogScanner.
 */
import { Buffer } from 'node:buffer';
import type { Strings } from '../core/columns.js';
import { ENVELOPE_KEYS, KINDS, PATH_KEYS } from '../core/event.js';
import { HarnessError } from '../core/errors.js';
import { BY, PREVENTED_BY, TIME_OUT_WORDS } from '../core/facts.js';
import { SCANNER_CODE } from './generated/scanner-code.js';
import { COUNTERFACTUAL_KEEP, DATA_KEEP, KEEP, OTHERS_ROLES, TOKEN_KEEP } from './keeps.js';
import {
  COUNTERFACTUAL_MEMBERS,
  COUNTERFACTUAL_MEMBER_CHECK,
  DATA_MEMBERS,
  DATA_MEMBER_CHECK,
  MEMBER_CHECKS,
  TOKEN_MEMBERS,
  TOKEN_MEMBER_CHECK,
  type MemberCheck,
} from './members.js';
import { INPUT_BYTES, RECORDS_MAX, RECORD_WORDS, type LogScanner } from './record.js';

interface Global {
  readonly value: number;
}

/** The part of the host's WebAssembly that is used here; Node's types do not have it. */
declare const WebAssembly:
  | {
      validate(code: Uint8Array): boolean;
      readonly Module: new (code: Uint8Array) => object;
      readonly Instance: new (compiled: object, imports: object) => { readonly exports: unknown };
    }
  | undefined;

/** What assembly/scan.ts exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly INPUT: Global;
  readonly RECORDS: Global;
  readonly IDS: Global;
  readonly NAMES: Global;
  readonly CALLS: Global;
  readonly ENVELOPE: Global;
  readonly DATA: Global;
  readonly TOKENS: Global;
  readonly COUNTERFACTUAL: Global;
  readonly KINDS: Global;
  readonly BY: Global;
  readonly PREVENTED_BY: Global;
  readonly TIME_OUTS: Global;
  readonly OTHERS_ROLES: Global;
  open(seed: number): void;
  reset(): void;
  addName(table: number, name: number, length: number, about: number): void;
  scan(from: number, to: number): number;
  scannedTo(): number;
  scratch(bytes: number): number;
  intern(table: number, from: number, length: number): number;
  numberOf(table: number, from: number, length: number): number;
  sizeOf(table: number): number;
  textOf(table: number, number: number): number;
  lengthOf(table: number, number: number): number;
}

/** Kinds whose lines always want a closer look. */
const CLOSER: readonly string[] = ['correction', 'log_repaired'];
const PATHS: ReadonlySet<string> = new Set(PATH_KEYS);

const encoder = new TextEncoder();
/** A mark is a character like any other inside a string. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

let compiled: object | undefined;

/**
 * Creates the fast scanner. `seed` keys the hash of its strings, so that nobody can write a log whose strings collide;
 * it should come from chance, and no number depends on it.
 * @returns undefined where there is no WebAssembly with vectors, or no address space for it
 */
export function wasmScanner(seed = 0): LogScanner | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  compiled ??= compileScanner();
  if (compiled === undefined) return undefined;
  try {
    const instance = new WebAssembly.Instance(compiled, { host: { full } });
    return new WasmScanner(instance.exports as Exports, seed);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function compileScanner(): object | undefined {
  const code = Buffer.from(SCANNER_CODE, 'base64');
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(code)) return undefined;
  return new WebAssembly.Module(code);
}

function full(): never {
  throw new HarnessError('io-failed', 'the strings of this log do not fit in memory', 'split the log');
}

class WasmScanner implements LogScanner {
  readonly ids: Strings;
  readonly names: Strings;
  readonly calls: Strings;
  private buffer: ArrayBuffer | undefined;
  private inputView = new Uint8Array(0);
  private recordView = new Int32Array(0);
  private doubleView = new Float64Array(0);

  constructor(
    private readonly code: Exports,
    seed: number,
  ) {
    code.open(seed);
    this.ids = new WasmStrings(code, code.IDS.value);
    this.names = new WasmStrings(code, code.NAMES.value);
    this.calls = new WasmStrings(code, code.CALLS.value);
    fillNames(code);
  }

  input(): Uint8Array {
    this.look();
    return this.inputView;
  }

  scan(from: number, to: number): number {
    return this.code.scan(from, to);
  }

  get scannedTo(): number {
    return this.code.scannedTo();
  }

  records(): Int32Array {
    this.look();
    return this.recordView;
  }

  doubles(): Float64Array {
    this.look();
    return this.doubleView;
  }

  reset(): void {
    this.code.reset();
  }

  /** Makes the views anew where the memory grew. */
  private look(): void {
    const { buffer } = this.code.memory;
    if (buffer === this.buffer) return;
    this.buffer = buffer;
    const words = RECORDS_MAX * RECORD_WORDS;
    this.inputView = new Uint8Array(buffer, this.code.INPUT.value, INPUT_BYTES);
    this.recordView = new Int32Array(buffer, this.code.RECORDS.value, words);
    this.doubleView = new Float64Array(buffer, this.code.RECORDS.value, words / 2);
  }
}

/** One of the tables of strings. */
class WasmStrings implements Strings {
  constructor(
    private readonly code: Exports,
    private readonly table: number,
  ) {}

  get size(): number {
    return this.code.sizeOf(this.table) >>> 0;
  }

  intern(bytes: Uint8Array, from: number, to: number): number {
    const at = put(this.code, bytes.subarray(from, to));
    return this.code.intern(this.table, at, to - from) >>> 0;
  }

  text(number: number): string {
    if (number <= 0 || number >= this.size) return '';
    const { code, table } = this;
    const length = code.lengthOf(table, number) >>> 0;
    return utf8.decode(new Uint8Array(code.memory.buffer, code.textOf(table, number) >>> 0, length));
  }

  numberOf(text: string): number {
    const bytes = encoder.encode(text);
    return this.code.numberOf(this.table, put(this.code, bytes), bytes.length) >>> 0;
  }
}

/** Copies bytes to where the scanner can read them. */
function put(code: Exports, bytes: Uint8Array): number {
  const at = code.scratch(bytes.length) >>> 0;
  new Uint8Array(code.memory.buffer, at, bytes.length).set(bytes);
  return at;
}

function fillNames(code: Exports): void {
  const plain = (names: readonly string[]): Name[] => names.map((name, index) => ({ name, index }));
  fill(code, code.ENVELOPE, plain(ENVELOPE_KEYS));
  const kinds = plain(KINDS).filter(({ name }) => !CLOSER.includes(name));
  fill(code, code.KINDS, kinds);
  fill(code, code.BY, plain(BY));
  fill(code, code.PREVENTED_BY, plain(PREVENTED_BY));
  fill(code, code.TIME_OUTS, plain(TIME_OUT_WORDS));
  fill(code, code.OTHERS_ROLES, plain(OTHERS_ROLES));
  const paths = Object.fromEntries([...PATHS].map((name) => [name, KEEP.path]));
  fill(code, code.DATA, typed(DATA_MEMBERS, DATA_MEMBER_CHECK, { ...paths, ...DATA_KEEP }));
  fill(code, code.TOKENS, typed(TOKEN_MEMBERS, TOKEN_MEMBER_CHECK, TOKEN_KEEP));
  const checks = COUNTERFACTUAL_MEMBER_CHECK;
  fill(code, code.COUNTERFACTUAL, typed(COUNTERFACTUAL_MEMBERS, checks, COUNTERFACTUAL_KEEP));
}

interface Name {
  readonly name: string;
  readonly index: number;
  readonly check?: number;
  readonly keep?: number;
}

function typed(
  names: readonly string[],
  checks: readonly MemberCheck[],
  keeps: Readonly<Partial<Record<string, number>>>,
): Name[] {
  return names.map((name, index) => {
    const check = MEMBER_CHECKS.indexOf(checks[index] as MemberCheck);
    return { name, index, check, keep: keeps[name] ?? 0 };
  });
}

/** A byte each says of a name what it is, how it is checked, and what is kept of it. */
function fill(code: Exports, table: Global, names: readonly Name[]): void {
  for (const { name, index, check = 0, keep = 0 } of names) {
    const bytes = encoder.encode(name);
    code.addName(table.value, put(code, bytes), bytes.length, index | (check << 8) | (keep << 16));
  }
}
