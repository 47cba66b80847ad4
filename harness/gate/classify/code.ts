/**
 * Classifies programs in other languages by the calls that stand in them, outside of texts and comments. A program can
 * build what it does, so what is not recognised here is not called harmless for it.
 */
import type { Facts } from './facts.js';
import { reachHere } from './command.js';
import { harmless, join, reading, unknown } from './reading.js';
import type { Reading } from './reading.js';

const OPAQUE =
  /\b(eval|exec|compile|__import__|importlib|getattr|globals|Function|vm\.run\w+|require\s*\(\s*[^'"`)]|b64decode|fromhex|atob)\s*\(|Buffer\.from\([^)]*['"]base64/;
const DELETES =
  /\b(rmtree|removedirs|unlink(Sync)?|rmdir(Sync)?|rm(Sync)?|os\.remove|rimraf|emptyDir(Sync)?|remove_tree|delete_tree|rm_rf|rm_r|Deltree|send2trash|trash)\s*\(/;
const RUNS =
  /\b(os\.system|subprocess\.\w+|popen|child_process|exec(File)?Sync|spawn(Sync)?|execSync|system|shell_exec|passthru|Runtime\.getRuntime|ProcessBuilder|check_call|check_output)\b/;
const WRITES =
  /\b(open\s*\([^)]*['"][wax]\+?b?['"]|write(File|FileSync|_text|_bytes)?\s*\(|writeFileSync|appendFile(Sync)?|copyfile|shutil\.(copy|move)|rename(Sync)?\s*\(|makedirs|mkdir(Sync)?\s*\()/;
const DATABASE =
  /\b(drop_all|dropDatabase|dropCollection|drop_table|dropTable|flushall|flushdb|destroy_all|delete_all|init_db|reset_db|drop_database|truncate)\b|\b(deleteMany|delete_many|updateMany)\s*\(\s*(\{\s*\})?\s*\)|\.delete\s*\(\s*\w*\s*\)(?!\s*\.\s*(where|eq|filter|match|in)\b)|\.remove\s*\(\s*\{\s*\}\s*\)/i;
const SENDS =
  /\b(requests\.(post|put|patch|delete)|fetch\s*\(|urlopen|http\.request|axios|smtplib|sendmail|socket\.)/;
const COMMITS = /\.(commit|execute|executemany|query|save|delete|update)\s*\(/;

/** Reads a program. @param language name of it, for the reasons */
export function readCode(language: string, text: string, facts: Facts): Reading {
  const code = withoutTexts(text);
  const parts: Reading[] = [];
  if (OPAQUE.test(code)) parts.push(unknown(`${language} that builds what it runs`, `${language} program`));
  if (DELETES.test(code)) {
    const isOutside = /['"`](\/|~|[A-Z]:\\)/.test(text) || /expanduser|homedir|HOME/.test(text);
    parts.push(
      reading(['irreversible', isOutside ? 'critical' : 'bounded'], `${language} that deletes files`, {
        tripwires: isOutside ? ['fs.outside-sandbox'] : [],
      }),
    );
  }
  if (RUNS.test(code)) parts.push(unknown(`${language} that runs other programs`, `${language} program`));
  if (DATABASE.test(code))
    parts.push(
      reading(['irreversible', reachHere(facts)], `${language} that empties a database`, {
        tripwires: ['db.schema-destruction'],
      }),
    );
  if (SENDS.test(code))
    parts.push(reading(['hard', 'wide'], `${language} that sends`, { tripwires: ['net.unexpected-egress'] }));
  if (WRITES.test(code)) parts.push(reading(['hard', 'local'], `${language} that writes files`));
  if (COMMITS.test(code))
    parts.push(
      reading(
        ['hard', facts.surroundings === 'production' ? 'wide' : 'bounded'],
        `${language} that works on a database`,
        { confidence: 'likely' },
      ),
    );
  if (parts.length > 0) return join(parts);
  return isOnlyPrinting(code)
    ? harmless(`${language} that computes and prints`)
    : reading(['hard', 'local'], `${language} in which nothing dangerous is seen`, {
        confidence: 'unresolved',
        unresolved: [`${language} program`],
      });
}

/** A program without what stands in quotes and comments. */
function withoutTexts(text: string): string {
  return text
    .replace(/(['"`])(?:\\.|(?!\1)[^\\])*\1/gs, (whole, quote: string) =>
      /^['"`][wax]\+?b?['"`]$/.test(whole) ? whole : `${quote}${quote}`,
    )
    .replace(/(#|\/\/).*$/gm, '');
}

const PURE =
  /\b(print|console\.log|len|str|int|sum|range|sorted|json\.(dumps|loads)|JSON\.(parse|stringify)|Math\.\w+|puts|echo|say|float|list|dict|max|min|round|type|map|filter|join|split|import\s+(json|math|re|sys|datetime))\b/;

/** Nothing is called but what is known to only compute. */
function isOnlyPrinting(code: string): boolean {
  const calls = code.match(/[\w.]+\s*\(/g) ?? [];
  return calls.every((call) => PURE.test(call));
}
