/**
 * The logs that are measured: generated into a temporary folder when a row first asks for them, and removed when no
 * later row does. Everything is gone at the end, also after an interrupt.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from './generate.mjs';

export class Data {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'counterproof-bench-'));
    this.sets = new Map();
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }));
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  }

  /** @param wanted runs, events of each, defects. @returns files, events, bytes, truth */
  logs({ runs = 1, events, defects = 0 }) {
    const key = `${runs}x${events}-${defects}`;
    let set = this.sets.get(key);
    if (set === undefined) {
      const path = join(this.folder, runs === 1 ? `${key}.jsonl` : key);
      set = { path, ...generate({ runs, events, seed: 1, defects, out: path }) };
      this.sets.set(key, set);
    }
    return set;
  }

  /**
   * A folder made when it is first asked for.
   * @param make fills it, and says at least how many bytes it has
   * @returns its path, and what `make` said
   */
  keep(key, make) {
    let set = this.sets.get(key);
    if (set === undefined) {
      const path = join(this.folder, key);
      set = { path, ...make(path) };
      this.sets.set(key, set);
    }
    return set;
  }

  /** Makes room for the next row; small sets are kept. */
  trim(keepBytes) {
    for (const [key, { path, bytes }] of this.sets) {
      if (bytes <= keepBytes) continue;
      rmSync(path, { recursive: true, force: true });
      this.sets.delete(key);
    }
  }

  /** A run of five events, given up before it had a plan. */
  fiveEvents() {
    const path = join(this.folder, 'five.jsonl');
    const tokens = { input: 900, output: 200, thinking: 0, model: 'model-small-1', callId: 'call_1' };
    const lines = [
      ['run_started', 'harness', { data: { studyId: 'bench' } }],
      ['goal_received', 'principal', { data: { goalPath: 'goal.md' } }],
      ['model_called', 'planner', { data: { role: 'planner', purpose: 'plan', callId: 'call_1' }, tokens }],
      ['budget_exhausted', 'harness', { data: { reason: 'tokens' } }],
      ['run_aborted', 'harness', { data: { reason: 'budget' } }],
    ].map(([kind, actor, more], index) => {
      const cause = index === 0 ? {} : { causedBy: `evt_${index - 1}` };
      const t = `2026-01-05T08:00:0${index}.000Z`;
      return JSON.stringify({ id: `evt_${index}`, runId: 'run_five', t, kind, actor, ...more, ...cause });
    });
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  }
}
