/**
 * Calls of tools that somebody else describes. A name is a hint, and so are the annotations of a server: both may only make
 * a tool more dangerous than it would be, since whoever serves it wrote them.
 */
import type { JsonObject } from '../../core/event.js';
import type { Facts } from './facts.js';
import { reachHere } from './command.js';
import { join, reading, unknown } from './reading.js';
import type { Reading } from './reading.js';

const DESTROYS =
  /(delete|destroy|drop|remove|purge|wipe|truncate|erase|terminate|revoke|cancel|trash|empty|reset|archive|unpublish|kill)/i;
const SENDS =
  /(send|publish|post|mail|message|notify|pay|transfer|charge|refund|deploy|release|merge|approve)/i;
const READS = /^(get|list|read|search|find|fetch|query|describe|show|count|view|lookup|status)/i;
const MANY = /(bulk|batch|all|every|mass|\*)/i;

/** @param call `{name, arguments, annotations?}` of a tool call */
export function readMcp(call: JsonObject, facts: Facts): Reading {
  const named = call['name'] ?? call['tool'];
  const name = typeof named === 'string' ? named : '';
  const given = JSON.stringify(call['arguments'] ?? call['input'] ?? {});
  const hints = (call['annotations'] ?? {}) as JsonObject;
  const parts: Reading[] = [];
  const verb = name.split(/[./:]|__/).at(-1) ?? name;
  const values = given.replace(/"[^"]*":/g, '');
  const isMany = MANY.test(verb) || (given.match(/"/g)?.length ?? 0) > 80 || /"\*"|"all"/i.test(given);
  if (DESTROYS.test(verb))
    parts.push(
      reading(
        ['irreversible', isMany ? 'critical' : reachHere(facts) === 'critical' ? 'wide' : 'bounded'],
        `${name}: its name says that it destroys`,
      ),
    );
  else if (SENDS.test(verb))
    parts.push(
      reading(
        ['irreversible', isMany ? 'wide' : 'bounded'],
        `${name}: its name says that it cannot be called back`,
      ),
    );
  else if (READS.test(verb))
    parts.push(
      reading(['trivial', 'local'], `${name}: its name says that it reads`, { confidence: 'likely' }),
    );
  else parts.push(reading(['hard', 'bounded'], `${name}: nothing is known of it`, { unresolved: [name] }));
  if (/"[^"]*\b(TRASH|DELETED?|DESTROY|PURGE|DROP)\b[^"]*"/i.test(values))
    parts.push(
      reading(
        ['irreversible', isMany ? 'wide' : 'bounded'],
        `${name}: what it is given says that it destroys`,
      ),
    );
  if (hints['destructiveHint'] === true)
    parts.push(reading(['irreversible', 'wide'], 'its server calls it destructive'));
  if (hints['readOnlyHint'] === false && READS.test(verb))
    parts.push(reading(['hard', 'bounded'], 'its server says that it does not only read'));
  return name === '' ? unknown('a call without a name', 'tool call') : join(parts);
}
