/**
 * What an action really does, from the tool and its input and never from what the agent says of it. A text is read by the
 * grammar of its language; what nobody has described, or what cannot be read, is classified up.
 */
import type { JsonObject, JsonValue } from '../../core/event.js';
import type { Grammars } from '../../core/grammars.js';
import { readCode } from './code.js';
import { UNKNOWN_FACTS } from './facts.js';
import type { Facts } from './facts.js';
import { readFileTool } from './files.js';
import { readHttp } from './http.js';
import { readMcp } from './mcp.js';
import { classified, reading, unknown } from './reading.js';
import type { Classification, Reading } from './reading.js';
import { readShell } from './shell.js';
import { readSql } from './sql.js';
import { readWindows } from './windows.js';
import { lookUp } from './table.js';

export interface ClassifyContext {
  readonly facts?: Facts;
  /** Without them, texts of SQL and shell cannot be read, and are classified up. */
  readonly grammars?: Grammars;
}

/** Tools whose input is a text in some language, and the member it stands in. */
const TEXTS: Readonly<Record<string, { readonly language: string; readonly member: string }>> = {
  bash: { language: 'shell', member: 'command' },
  shell: { language: 'shell', member: 'command' },
  sh: { language: 'shell', member: 'command' },
  'shell.run': { language: 'shell', member: 'command' },
  sql: { language: 'sql', member: 'sql' },
  'db.query': { language: 'sql', member: 'sql' },
  'db.execute': { language: 'sql', member: 'sql' },
  cmd: { language: 'windows', member: 'command' },
  powershell: { language: 'windows', member: 'command' },
  pwsh: { language: 'windows', member: 'command' },
  python: { language: 'python', member: 'code' },
  node: { language: 'node', member: 'code' },
  code: { language: 'code', member: 'code' },
};

/** Longest text that is read. */
const TEXT_MAX = 256 * 1024;

/** Classifies one tool call. @param input the tool's input, or the text itself where it is one */
export function classify(
  tool: string,
  input: JsonObject | string,
  context: ClassifyContext = {},
): Classification {
  return classified(read(tool, input, context));
}

function read(tool: string, input: JsonObject | string, context: ClassifyContext): Reading {
  const { facts = UNKNOWN_FACTS } = context;
  const text = lookUp(TEXTS, tool);
  if (text !== undefined) return readText(text.language, textIn(input, text.member), context);
  if (typeof input === 'string' && /^http(\.request)?$/.test(tool))
    return readText('shell', /^(curl|wget|https?)\b/.test(input) ? input : `curl -X ${input}`, context);
  if (typeof input === 'string') return unknown(`nothing is known of the tool ${tool}`, tool);
  if (tool === 'http' || tool === 'http.request') return readHttp(input, facts);
  if (tool === 'mcp') return readMcp(input, facts);
  if (tool === 'mail.send') return mail(input);
  if (tool === 'deploy.release')
    return reading(['hard', facts.surroundings === 'production' ? 'critical' : 'wide'], 'releases to users');
  return readFileTool(tool, input) ?? unknown(`nothing is known of the tool ${tool}`, tool);
}

function readText(
  language: string,
  text: string | undefined,
  { facts = UNKNOWN_FACTS, grammars }: ClassifyContext,
): Reading {
  if (text === undefined) return unknown('there is no text to read', language);
  if (text.includes('\0')) return unknown('a NUL byte, at which parsers stop', 'NUL');
  if (text.length > TEXT_MAX)
    return unknown(`a text of ${text.length} characters is not read`, `${text.length} characters`);
  if (language === 'windows') return readWindows(text, facts);
  if (language !== 'shell' && language !== 'sql') return readCode(language, text, facts);
  if (grammars === undefined) return unknown(`no grammar for ${language} at hand`, text.slice(0, 60));
  return language === 'sql'
    ? readSql(text, { facts, grammar: grammars.sql })
    : readShell(text, { facts, grammars });
}

function textIn(input: JsonObject | string, member: string): string | undefined {
  if (typeof input === 'string') return input;
  const value: JsonValue | undefined = input[member] ?? input['command'] ?? input['text'];
  return typeof value === 'string' ? value : undefined;
}

/** Mail cannot be called back; how many get it is how far it reaches. */
function mail(input: JsonObject): Reading {
  const { to } = input;
  const count = Array.isArray(to) ? to.length : 1;
  const far = count > 50 ? 'critical' : count > 5 ? 'wide' : 'bounded';
  return reading(['irreversible', far], `sends mail to ${count}`, {
    tripwires: count > 50 ? ['mail.mass-send'] : [],
  });
}
