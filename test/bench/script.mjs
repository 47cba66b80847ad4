/**
 * Writes the events of one run as our log writer does: ids by lane, times, members in order; and, for a small share of
 * lines, as other serialisers do. It knows nothing about what a run is.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const SKEW_MAX_MS = 80;
/** Lines with another order of members, blanks between them and, for half of them, no byte above 0x7f. */
const FOREIGN_SHARE = 0.02;

export function base32(value, width) {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text;
  return text;
}

/** The ids and the clock of one writer: they rise, whatever the others do. */
class Lane {
  constructor(number, skewMs) {
    this.name = base32(number, 2);
    this.skewMs = skewMs;
    this.ms = 0;
    this.seq = 0;
  }

  id(nowMs) {
    if (nowMs > this.ms) {
      this.ms = nowMs;
      this.seq = 0;
    } else this.seq++;
    if (this.seq > 1023) throw new Error('more than 1024 events of one lane in a millisecond');
    return `evt_${base32(this.ms, 9)}${this.name}${base32(this.seq, 2)}`;
  }
}

export class Script {
  /** @param options runId, random, startMs, lanes (their number), laneOf (actor → lane), write (takes a line) */
  constructor(options) {
    this.random = options.random;
    this.runId = options.runId;
    this.laneOf = options.laneOf;
    this.write = options.write;
    this.nowMs = options.startMs;
    this.count = 0;
    this.truth = [];
    const { random } = this;
    this.lanes = Array.from(
      { length: options.lanes },
      (_, n) => new Lane(n, random.int(-SKEW_MAX_MS, SKEW_MAX_MS)),
    );
  }

  /**
   * Writes an event and gives its id.
   * @param more data, counterfactual, tokens; `lane` instead of the actor's; `id` instead of the next; `torn`: half of it
   */
  emit(kind, actor, causedBy, more = {}) {
    const lane = this.lanes[more.lane ?? this.laneOf(actor)];
    this.nowMs += this.random.chance(0.7) ? 1 : this.random.int(1, 40);
    const ms = this.nowMs + lane.skewMs;
    const next = lane.id(ms);
    const event = { id: more.id ?? next, runId: this.runId, t: new Date(ms).toISOString(), kind, actor };
    if (more.data !== undefined) event.data = more.data;
    if (causedBy !== undefined) event.causedBy = causedBy === 'itself' ? event.id : causedBy;
    if (more.counterfactual !== undefined) event.counterfactual = more.counterfactual;
    if (more.tokens !== undefined) event.tokens = more.tokens;
    const line = this.random.chance(FOREIGN_SHARE) ? foreignLine(event, this.random) : JSON.stringify(event);
    this.write(more.torn === true ? line.slice(0, line.length >> 1) : line);
    this.count++;
    return event.id;
  }

  /** An id of ours that no event has. */
  unusedId() {
    return `evt_${base32(this.nowMs, 9)}${this.lanes[0].name}zz`;
  }

  /** Notes what was just spoiled, at the line written last. */
  spoiled(defect, rule, id) {
    this.truth.push({ defect, rule, run: this.runId, line: this.count, id });
  }
}

function foreignLine(event, random) {
  const entries = Object.entries(event);
  for (let last = entries.length - 1; last > 0; last--) {
    const other = random.int(0, last);
    [entries[last], entries[other]] = [entries[other], entries[last]];
  }
  const line = spaced(Object.fromEntries(entries));
  return random.chance(0.5) ? line : line.replace(/[\u0080-\uffff]/g, escaped);
}

function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return `{${members.join(', ')}}`;
}

function escaped(char) {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
