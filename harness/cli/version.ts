/**
 * Name and version of this harness, read from its own package.json, and the system clock as a port.
 */
import { readFileSync } from 'node:fs';
import type { ClockPort } from '../core/ports.js';

/** The package this file was installed with. */
export function harnessInfo(): { readonly name: string; readonly version: string } {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return { name, version };
}

export const systemClock: ClockPort = { nowMs: () => Date.now() };
