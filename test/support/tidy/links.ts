/**
 * Paths and links in the prose: each must lead somewhere.
 * Checked are Markdown links, code spans that look like a path (a slash, and an extension or a slash at the end)
 * and arguments of commands that begin with a folder of ours. Placeholders (`<runId>`, `*`, `…`) are not paths.
 */
import { posix } from 'node:path';
import type { Finding } from './finding.js';

/** The repository as the checker sees it: what exists, and the text of a Markdown file. */
export interface Tree {
  exists(path: string): boolean;
  read(path: string): string;
}

interface Page {
  readonly path: string;
  readonly lines: readonly {
    readonly text: string;
    readonly number: number;
    readonly fence: string | undefined;
  }[];
}

const LINK = /\[[^\]]*\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g;
const SPAN = /(?<!`)`([^`]+)`(?!`)/g;
const PLACEHOLDER = /[<>*…{}$|]|\.\.\./;
const SHELL = new Set(['sh', 'bash', 'shell', 'console']);
const OUR_FOLDERS = /^(?:\.\/)?(?:\.ci|harness|conditions|tasks|schemas|runs|reports|test)\//;
/** Built, so absent from a clean checkout. */
const BUILT = /^(?:\.\/)?(?:dist|coverage|node_modules|harness\/core\/generated)\//;

/** Every link and path of a Markdown page that leads nowhere. */
export function checkLinks(path: string, tree: Tree): Finding[] {
  const page = pageOf(path, tree.read(path));
  const findings: Finding[] = [];
  for (const { text, number, fence } of page.lines) {
    const dead = (what: string): Finding => ({ path, line: number, what, use: 'one that exists' });
    const prose = fence === undefined;
    if (prose) {
      const targets = [...text.replace(SPAN, '').matchAll(LINK)].map((match) => match[1] ?? '');
      findings.push(
        ...targets.filter((to) => !linkLeads(path, to, tree)).map((to) => dead(`the link ${to}`)),
      );
    }
    const mentions = prose ? spansOf(text) : SHELL.has(fence) ? [text] : [];
    const paths = mentions.flatMap(pathsIn).filter((to) => !pathLeads(path, to, tree));
    findings.push(...paths.map((to) => dead(`the path ${to}`)));
  }
  return findings;
}

function pageOf(path: string, markdown: string): Page {
  let fence: string | undefined;
  const lines = markdown.split('\n').map((text, index) => {
    const mark = /^\s*(?:```|~~~)(\w*)/.exec(text);
    const inside = fence;
    if (mark !== null) fence = fence === undefined ? (mark[1] ?? '') : undefined;
    return { text, number: index + 1, fence: mark === null ? inside : 'fence' };
  });
  return { path, lines };
}

function spansOf(text: string): string[] {
  return [...text.matchAll(SPAN)].map((match) => match[1] ?? '');
}

/** The words of a span or command that look like a path of the repository. */
function pathsIn(mention: string): string[] {
  const words = mention.split(/\s+/).filter((word) => word !== '');
  const whole = words.length === 1;
  return words.filter(
    (word) => !PLACEHOLDER.test(word) && (OUR_FOLDERS.test(word) || (whole && isPath(word))),
  );
}

function isPath(word: string): boolean {
  return /^[\w.@-]+(?:\/[\w.@-]+)*(?:\/|\/[\w@-][\w.@-]*\.[a-z][\w]*)$/.test(word) && word.includes('/');
}

function pathLeads(from: string, to: string, tree: Tree): boolean {
  if (BUILT.test(to)) return true;
  const bare = to.replace(/[/,;:]+$/, '');
  const bases = [posix.dirname(from), '', 'harness', 'node_modules'];
  return bases.some((base) => tree.exists(posix.normalize(posix.join(base, bare))));
}

function linkLeads(from: string, to: string, tree: Tree): boolean {
  if (/^[a-z][a-z0-9+.-]*:/.test(to)) return true; // Another site; tests do not ask the network.
  const [file = '', anchor] = to.split('#');
  const target = file === '' ? from : posix.normalize(posix.join(posix.dirname(from), file));
  if (!tree.exists(target.replace(/\/$/, ''))) return false;
  if (anchor === undefined || !target.endsWith('.md')) return true;
  return anchorsOf(tree.read(target)).has(anchor);
}

function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = pageOf('', markdown).lines.filter(
    ({ text, fence }) => fence === undefined && /^#+ /.test(text),
  );
  return new Set(headings.map(({ text }) => slugOf(text.replace(/^#+ /, ''))));
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
