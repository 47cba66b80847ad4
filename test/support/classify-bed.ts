/**
 * The classifier with its grammars, and the tier of one text.
 */
import { TIERS } from '../../harness/core/tier.js';
import type { Tier } from '../../harness/core/tier.js';
import type { Grammars } from '../../harness/core/grammars.js';
import { factsFrom } from '../../harness/gate/classify/facts.js';
import { classify } from '../../harness/gate/classify/index.js';
import type { Classification } from '../../harness/gate/classify/reading.js';
import { loadShell } from '../../harness/grammar/shell.js';
import { loadSql } from '../../harness/grammar/sql.js';

export const GRAMMARS: Grammars = { shell: await loadShell(), sql: await loadSql() };

export function readAs(tool: string, text: string | object, environment = 'dev'): Classification {
  return classify(tool, text as never, { facts: factsFrom(environment), grammars: GRAMMARS });
}

export function rankOf(tier: Tier): number {
  return TIERS.indexOf(tier);
}
