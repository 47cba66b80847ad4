/**
 * Writes logs of our format that `check` judges well formed, for measuring and for tests. The same arguments give the
 * same bytes; a log of any length is written in constant memory.
 */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments, refuse } from './arguments.mjs';
import { assignDefects } from './defects.mjs';
import { Random } from './random.mjs';
import { Script } from './script.mjs';
import { EVENTS_MIN, LANES, laneOf, play } from './story.mjs';

const HELP = `Writes logs that counterproof check judges well formed; the same arguments give the same bytes.

  node test/bench/generate.mjs --runs 200 --events 2450 --seed 1 --out <folder>    one bare log per run
  node test/bench/generate.mjs --runs 1 --events 490000 --out big.jsonl            one file
  … --defects 50    spoils so many places; what and where is said in <out>.truth.json`;
const PIECE_BYTES = 1 << 20;
const EPOCH_MS = Date.UTC(2026, 0, 5, 8, 0, 0);
const HOUR_MS = 3600_000;

/** Gathers lines and writes them in large pieces. */
class Sink {
  constructor(path) {
    this.fd = openSync(path, 'w');
    this.lines = [];
    this.chars = 0;
    this.bytes = 0;
  }

  write(line) {
    this.lines.push(line);
    this.chars += line.length;
    if (this.chars > PIECE_BYTES) this.flush();
  }

  flush() {
    if (this.lines.length === 0) return;
    const piece = Buffer.from(`${this.lines.join('\n')}\n`);
    for (let done = 0; done < piece.length;) done += writeSync(this.fd, piece, done);
    this.bytes += piece.length;
    this.lines = [];
    this.chars = 0;
  }

  close() {
    this.flush();
    closeSync(this.fd);
  }
}

/**
 * @param options runs, events (of each run), seed, out, defects
 * @returns what was written: files, events, bytes, truth
 */
export function generate({ runs, events, seed = 1, out, defects = 0 }) {
  if (!(runs >= 1) || !(events >= EVENTS_MIN))
    throw new RangeError(`give --runs from 1 and --events from ${EVENTS_MIN}`);
  const isFolder = !out.endsWith('.jsonl');
  if (!isFolder && runs > 1) throw new Error('several runs need a folder: give --out without .jsonl');
  if (isFolder) mkdirSync(out, { recursive: true });
  const written = { files: [], events: 0, bytes: 0, truth: [] };
  assignDefects(defects, runs).forEach((names, index) => {
    const runId = `run_bench-${seed}-${String(index + 1).padStart(4, '0')}`;
    const path = isFolder ? join(out, `${runId}.jsonl`) : out;
    const sink = new Sink(path);
    const script = new Script({
      runId,
      random: new Random(seed * 1_000_003 + index),
      startMs: EPOCH_MS + index * HOUR_MS,
      lanes: LANES,
      laneOf,
      write: (line) => sink.write(line),
    });
    play(script, { events, seed, defects: names });
    sink.close();
    written.files.push(path);
    written.events += script.count;
    written.bytes += sink.bytes;
    written.truth.push(...script.truth);
  });
  if (defects > 0) writeFileSync(`${out}.truth.json`, `${JSON.stringify(written.truth, undefined, 1)}\n`);
  return written;
}

/** Generates, or says what is out of range. */
function written(wish) {
  try {
    return generate(wish);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse(error.message);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = { type: 'string' };
  const values = readArguments({ runs: text, events: text, seed: text, out: text, defects: text }, HELP);
  if (values.out === undefined) refuse('give --out: a folder, or a file that ends with .jsonl');
  const { files, events, bytes, truth } = written({
    runs: Number(values.runs ?? 1),
    events: Number(values.events ?? 2450),
    seed: Number(values.seed ?? 1),
    out: values.out,
    defects: Number(values.defects ?? 0),
  });
  const facts = { files: files.length, events, bytes, bytesPerEvent: Math.round(bytes / events) };
  process.stdout.write(`${JSON.stringify({ ...facts, defects: truth.length })}\n`);
}
