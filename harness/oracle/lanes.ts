/**
 * The lanes of writers that a log announces: those of its start, and those of writers that joined.
 * Whether an id is of one of them is for the rules and certificates to say.
 */
import { kindCode } from '../core/event.js';
import { laneName } from '../core/ids.js';
import type { Case } from './case.js';
import { list } from './documents.js';

const JOINED = kindCode('writer_joined');

/** Lanes named by the run's start and by writers that joined, or undefined where the log lists none. */
export function announcedLanes(c: Case): ReadonlySet<string> | undefined {
  const { history } = c;
  const [start] = c.runStarts;
  const first = start === undefined ? [] : list(history.data(start)['lanes']);
  if (first.length === 0) return undefined;
  const lanes = new Set(first.filter((lane): lane is string => typeof lane === 'string'));
  for (const event of history.landmarks(JOINED)) {
    const lane = history.dataText(event, 'lane');
    if (lane !== undefined) lanes.add(lane);
  }
  return lanes;
}

/** Whether every event of the log is of one of these lanes, as far as was seen while it was read. */
export function areAnnounced(c: Case, lanes: ReadonlySet<string>): boolean {
  return [...c.history.parts.sums.lanes].every((lane) => lane > 0 && lanes.has(laneName(lane - 1)));
}
