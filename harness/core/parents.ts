/**
 * The cause of each event as a column: an event number, or one of two words for "none". Causes stand near their
 * effects, so distances are kept, which take a byte or two.
 */
import { PackedColumn, SEGMENT } from './packed-column.js';

/** Parent values that are not events: the event names no cause, or one that is not in the log. */
export const NO_CAUSE = -1;
export const DANGLING = -2;

/** Farther than any event. */
const DANGLING_CODE = -(2 ** 31);

export class Parents {
  /** How far up the cause stands, plus one; 0 for none; negative where it stands further down. */
  private readonly distances = new PackedColumn();
  private forward = 0;
  private uncaused = 0;
  private lost = 0;

  static from(parents: Iterable<number>): Parents {
    const column = new Parents();
    for (const parent of parents) column.push(parent);
    return column;
  }

  get size(): number {
    return this.distances.size;
  }

  /** Events whose cause is themselves or stands behind them. */
  get forwardCount(): number {
    return this.forward;
  }

  /** Events that name no cause. */
  get uncausedCount(): number {
    return this.uncaused;
  }

  /** Events whose cause is not in the log. */
  get danglingCount(): number {
    return this.lost;
  }

  push(parent: number): void {
    const event = this.distances.size;
    this.count(event, parent, 1);
    this.distances.push(codeOf(event, parent));
  }

  /** Adds an event whose cause stands so many events further up; 0 for none. */
  pushAbove(distance: number): void {
    if (distance === 0) this.uncaused++;
    this.distances.push(distance === 0 ? 0 : distance + 1);
  }

  at(event: number): number {
    const code = this.distances.at(event);
    if (code > 0) return event - code + 1;
    return code === 0 ? NO_CAUSE : code === DANGLING_CODE ? DANGLING : event - code;
  }

  set(event: number, parent: number): void {
    this.count(event, this.at(event), -1);
    this.count(event, parent, 1);
    this.distances.set(event, codeOf(event, parent));
  }

  /** Copies one segment of parents to the front of `into`. @returns how many */
  read(segment: number, into: Int32Array): number {
    const count = this.distances.read(segment, into);
    const first = segment * SEGMENT;
    for (let at = 0; at < count; at++) {
      const code = into[at]!;
      if (code > 0) into[at] = first + at - code + 1;
      else into[at] = code === 0 ? NO_CAUSE : code === DANGLING_CODE ? DANGLING : first + at - code;
    }
    return count;
  }

  private count(event: number, parent: number, by: number): void {
    if (parent === NO_CAUSE) this.uncaused += by;
    else if (parent === DANGLING) this.lost += by;
    else if (parent >= event) this.forward += by;
  }
}

function codeOf(event: number, parent: number): number {
  if (parent === NO_CAUSE) return 0;
  if (parent === DANGLING) return DANGLING_CODE;
  return parent <= event ? event - parent + 1 : event - parent;
}
