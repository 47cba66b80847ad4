/**
 * Prints the rule catalogue for `counterproof rules`.
 */
import { HarnessError } from '../core/errors.js';
import type { Rule } from '../oracle/rule.js';
import { RULES } from '../oracle/rules/index.js';
import { paintFor, print } from './output.js';

export function showRules(args: { readonly id: string | undefined; readonly json: boolean }): void {
  const rules = chosen(args.id);
  if (args.json) {
    const entries = rules.map(({ id, title, facet, severity, why, example, mend, needs, atEnd }) => {
      return { id, title, facet, severity, why, example, mend, needs: needs ?? [], atEnd: atEnd === true };
    });
    print(`${JSON.stringify(entries, undefined, 2)}\n`);
  } else if (rules.length === 1) print(oneRule(rules[0] as Rule));
  else print(rules.map((rule, index) => heading(rule, rules[index - 1]) + line(rule)).join(''));
}

function chosen(id: string | undefined): readonly Rule[] {
  if (id === undefined) return RULES;
  const found = RULES.filter((rule) => rule.id === id || rule.id.startsWith(`${id}/`));
  if (found.length > 0) return found;
  const near = RULES.filter((rule) => rule.id.includes(id.split('/').at(-1) as string)).map(
    (rule) => rule.id,
  );
  const hint =
    near.length > 0 ? `did you mean ${near.slice(0, 3).join(', ')}?` : 'counterproof rules lists them';
  throw new HarnessError('no-input', `there is no rule ${id}`, hint);
}

/** A line with the family's name before its first rule. */
function heading(rule: Rule, before: Rule | undefined): string {
  const family = familyOf(rule);
  if (before !== undefined && familyOf(before) === family) return '';
  return `${before === undefined ? '' : '\n'}${family}, decides ${rule.facet}\n`;
}

function familyOf(rule: Rule): string {
  return rule.id.split('/')[0] as string;
}

function line(rule: Rule): string {
  const paint = paintFor(false);
  const mark = rule.severity === 'error' ? '' : ` (${rule.severity})`;
  return `  ${paint.strong(rule.id.padEnd(40))} ${rule.title}${mark}\n`;
}

function oneRule(rule: Rule): string {
  const paint = paintFor(false);
  const needs = [...(rule.needs ?? []), ...(rule.atEnd === true ? ['a finished log'] : [])];
  return [
    `${paint.strong(rule.id)}  ${rule.severity}, decides ${rule.facet}`,
    `  ${rule.title}.`,
    '',
    `  why      ${rule.why}`,
    `  example  ${rule.example}`,
    `  mend     ${rule.mend}`,
    ...(needs.length > 0 ? [`  applies  where there is ${needs.join(', ')}`] : []),
    '',
  ].join('\n');
}
