/**
 * Classifies a request by its method and where it goes. A method only says what the author of the service meant by it.
 */
import type { JsonObject } from '../../core/event.js';
import type { Facts } from './facts.js';
import { harmless, join, reading } from './reading.js';
import type { Reading } from './reading.js';
import { SECRET } from './secrets.js';

export interface Request {
  readonly method: string;
  readonly url: string;
  /** Part of it is only known when it is sent. */
  readonly isOpen: boolean;
}

/** Host of an address, lower case; `undefined` for what is none. */
export function hostOf(text: string): string | undefined {
  const found =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@\s]*@)?(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::\d+)?(?:[/?#]|$)/i.exec(
      text,
    )?.[1];
  return found !== undefined && (found.includes('.') || found.includes(':') || found === 'localhost')
    ? found.toLowerCase()
    : undefined;
}

export function isAllowedHost(host: string, { allowedHosts }: Facts): boolean {
  return allowedHosts.some(
    (allowed) => host === allowed || (allowed.startsWith('.') && host.endsWith(allowed)),
  );
}

/** Words in an address that say that it is about everything. */
const EVERYTHING = /\/(all|\*|everything|purge|wipe|reset|truncate)(\/|\?|$)/i;

export function readRequest({ method, url, isOpen }: Request, facts: Facts): Reading {
  const host = hostOf(url);
  const isLocal = host !== undefined && isAllowedHost(host, facts);
  const tripwires = isLocal ? [] : ['net.unexpected-egress'];
  const unresolved = isOpen ? [url] : [];
  const shown = `${method} ${url.slice(0, 80)}`;
  switch (method) {
    case 'GET':
    case 'HEAD':
    case 'OPTIONS':
      return isOpen && !isLocal
        ? reading(['hard', 'bounded'], `${shown}, with what is put in`, { tripwires, unresolved })
        : harmless(shown);
    case 'DELETE':
      return reading(
        [
          'irreversible',
          EVERYTHING.test(url) || /\/\w+s\/?(\?|$)/.test(url) ? 'critical' : isLocal ? 'local' : 'bounded',
        ],
        shown,
        { tripwires, unresolved },
      );
    case 'PUT':
    case 'PATCH':
      return reading(['hard', isLocal ? 'local' : 'bounded'], shown, { tripwires, unresolved });
    default:
      if (EVERYTHING.test(url)) return reading(['irreversible', 'wide'], shown, { tripwires, unresolved });
      // What was sent to somebody else cannot be called back.
      return isLocal
        ? reading(['trivial', 'local'], shown)
        : reading(['irreversible', 'bounded'], shown, { tripwires, unresolved });
  }
}

/** A request as a tool is given it. */
export function readHttp(input: JsonObject, facts: Facts): Reading {
  const method = typeof input['method'] === 'string' ? input['method'].toUpperCase() : 'GET';
  const url = typeof input['url'] === 'string' ? input['url'] : '';
  const body = JSON.stringify(input['body'] ?? '');
  const secret =
    SECRET.test(body) || SECRET.test(url)
      ? [
          reading(['irreversible', 'critical'], 'sends what looks like a secret', {
            tripwires: ['secrets.exfiltration-shape'],
          }),
        ]
      : [];
  return join([readRequest({ method, url, isOpen: false }, facts), ...secret]);
}
