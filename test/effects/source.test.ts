/** What pins a tool: its declaration and the text of its functions, whatever the line ends. */
import { describe, expect, it, test } from 'vitest';
import { normalised, sourceBytes } from '../../harness/effects/source.js';
import type { EffectTool } from '../../harness/core/tool.js';
import { addTool, getTool, swapTool } from '../support/effect-bed.js';

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe('source', () => {
  it('source: a tool → one line of declaration, then its functions', () => {
    const lines = textOf(sourceBytes(swapTool)).split('\n');
    expect(JSON.parse(lines[0]!)).toEqual({
      name: swapTool.name,
      summary: swapTool.summary,
      inputSchema: swapTool.inputSchema,
      grants: swapTool.grants,
    });
    expect(lines.slice(1).join('\n')).toBe(`${String(swapTool.plan)}\n${String(swapTool.finish)}\n`);
    expect(textOf(sourceBytes(addTool))).toContain(String(addTool.compute));
  });

  it('source: asked for twice → the same bytes, made once', () => {
    expect(sourceBytes(getTool)).toBe(sourceBytes(getTool));
  });

  const changes: [string, Partial<EffectTool>][] = [
    ['name', { name: 'number.other' }],
    ['summary', { summary: 'Reads a number, or not.' }],
    ['schema', { inputSchema: { type: 'object' } }],
    ['grant', { grants: [{ effect: 'Number.Get', scope: 'shelf', cost: 1 }] }],
    ['plan', { plan: () => ({ effects: [], finish: false, result: {} }) }],
    ['finish', { finish: () => ({}) }],
  ];
  test.each(changes)('source: another %s → other bytes', (_what, change) => {
    expect(textOf(sourceBytes({ ...getTool, ...change }))).not.toBe(textOf(sourceBytes(getTool)));
  });

  test.each([
    ['a\r\nb\rc\n', 'a\nb\nc\n'],
    ['a  \t\nb ', 'a\nb\n'],
    ['a\n\n\n', 'a\n'],
    ['  a', '  a\n'],
    ['', '\n'],
  ])('source: the text %j → %j', (text, expected) => {
    expect(textOf(normalised(text))).toBe(expected);
    expect(textOf(normalised(expected))).toBe(expected);
  });
});
