/**
 * Ways round the classifier: changes that keep what a text does never lower its tier, and bytes that are nothing never
 * come out as harmless, nor bring it down. And the public set of commands, at its defensible tiers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Tier } from '../../harness/core/tier.js';
import { describeWithData } from '../support/data.js';
import { rankOf, readAs } from '../support/classify-bed.js';

const DANGEROUS_SHELL = [
  'rm -rf /',
  'rm -rf src',
  'git push --force origin main',
  'git reset --hard',
  'terraform destroy -auto-approve',
  'docker volume rm data',
  'psql -c "DROP TABLE users"',
  'dd if=/dev/zero of=/dev/sda',
  'npx prisma migrate reset --force',
  'aws s3 rm s3://backups --recursive',
  'find / -delete',
];

/** Each says the same in another way. */
const SHELL_CHANGES: Readonly<Record<string, (text: string) => string>> = {
  'more spaces': (text) => text.replaceAll(' ', '   '),
  tabs: (text) => text.replaceAll(' ', '\t'),
  'line continuation': (text) => text.replace(' ', ' \\\n'),
  'a comment behind': (text) => `${text} # just looking`,
  'a command before': (text) => `ls; ${text}`,
  'a command before that is allowed': (text) => `git status && ${text}`,
  'a command behind': (text) => `${text} && echo done`,
  'in the background': (text) => `${text} &`,
  'or else': (text) => `false || ${text}`,
  'a subshell': (text) => `( ${text} )`,
  'a group': (text) => `{ ${text}; }`,
  if: (text) => `if true; then ${text}; fi`,
  'a loop': (text) => `for i in 1 2; do ${text}; done`,
  'a function': (text) => `go() { ${text}; }; go`,
  'bash -c': (text) => `bash -c '${text.replaceAll("'", `'\\''`)}'`,
  'bash -lc in bash -c': (text) => `bash -c "bash -lc '${text.replaceAll('"', '\\"')}'"`,
  eval: (text) => `eval '${text}'`,
  'a here-document': (text) => `bash <<'EOF'\n${text}\nEOF`,
  'a here-string': (text) => `bash <<< '${text}'`,
  'echo into sh': (text) => `echo '${text}' | sh`,
  'base64 into sh': (text) => `echo ${Buffer.from(text).toString('base64')} | base64 --decode | bash`,
  sudo: (text) => `sudo ${text}`,
  env: (text) => `env A=1 ${text}`,
  'an assignment before': (text) => `A=1 ${text}`,
  timeout: (text) => `timeout 60 ${text}`,
  nohup: (text) => `nohup ${text}`,
  'a full path': (text) => `/usr/bin/${text}`,
  'a backslash before': (text) => `\\${text}`,
  'the name in quotes': (text) => text.replace(/^(\S+)/, '"$1"'),
  'the name in pieces': (text) => text.replace(/^(\S)(\S*)/, `$1''$2`),
  "the name as $'…'": (text) => text.replace(/^(\S+)/, `$'$1'`),
  'a substitution': (text) => `echo $(${text})`,
  backquotes: (text) => `echo \`${text}\``,
  'process substitution': (text) => `cat <(${text})`,
  'output thrown away': (text) => `${text} > /dev/null 2>&1`,
  ssh: (text) => `ssh host '${text}'`,
  'xargs without input': (text) => `echo | xargs ${text}`,
  'a variable for the command': (text) =>
    `C='${text.split(' ')[0]}'; $C ${text.split(' ').slice(1).join(' ')}`,
  'the command from a substitution': (text) =>
    `$(echo ${text.split(' ')[0]}) ${text.split(' ').slice(1).join(' ')}`,
};

describe('bypass: shell', () => {
  for (const [what, change] of Object.entries(SHELL_CHANGES)) {
    it(`bypass: ${what} → never a lower tier`, () => {
      for (const text of DANGEROUS_SHELL) {
        const [before, after] = [
          readAs('bash', text, 'prod').tier,
          readAs('bash', change(text), 'prod').tier,
        ];
        expect(rankOf(after), `${change(text)}: ${before} → ${after}`).toBeGreaterThanOrEqual(rankOf(before));
      }
    });
  }

  it('bypass: several changes one after the other → never a lower tier', () => {
    const changes = fc.array(
      fc.constantFrom(
        ...Object.keys(SHELL_CHANGES).filter((name) =>
          /^(more spaces|a command before|a command behind|a subshell|a group|if|a loop|or else|in the background)$/.test(
            name,
          ),
        ),
      ),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...DANGEROUS_SHELL), changes, (text, names) => {
        const changed = names.reduce((so, name) => SHELL_CHANGES[name]!(so), text);
        const [before, after] = [readAs('bash', text, 'prod').tier, readAs('bash', changed, 'prod').tier];
        // What stands behind a comment is none of the command.
        fc.pre(!/#[^\n]*(;|fi|done|\)|\})/.test(changed));
        expect(rankOf(after), changed).toBeGreaterThanOrEqual(rankOf(before));
      }),
      { numRuns: 400 },
    );
  });

  it('bypass: any text at all → no crash', () => {
    const words = fc.constantFrom(
      'rm',
      '-rf',
      '/',
      '$X',
      '"',
      "'",
      '`',
      '$(',
      ')',
      '|',
      ';',
      '&&',
      '<<EOF',
      '\n',
      '{',
      '}',
      '>',
      '#',
      '\\',
      'sudo',
      'eval',
      'é',
      '\0',
      '*',
      '~',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.array(words, { maxLength: 20 }).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        for (const tool of ['bash', 'sql', 'cmd', 'powershell', 'python'])
          expect(readAs(tool, text).tier).toMatch(/^T[0-4]$/);
      }),
      { numRuns: 1500 },
    );
  });

  it('bypass: bytes that are no command → never below T2', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[b-df-hj-np-tv-z]{6,12}( [b-df-hj-np-tv-z]{3,8}){0,3}$/), (text) => {
        expect(rankOf(readAs('bash', text).tier), text).toBeGreaterThanOrEqual(2);
        expect(rankOf(readAs('sql', text).tier), text).toBeGreaterThanOrEqual(2);
      }),
    );
  });
});

const DANGEROUS_SQL = [
  'DELETE FROM users',
  'DROP TABLE users',
  'TRUNCATE users',
  'UPDATE users SET a = 1',
  'ALTER TABLE users DROP COLUMN a',
];
const SQL_CHANGES: Readonly<Record<string, (text: string) => string>> = {
  'lower case': (text) => text.toLowerCase(),
  'white space': (text) => text.replaceAll(' ', ' \n\t '),
  'comments between words': (text) => text.replaceAll(' ', ' /* SELECT */ '),
  'a line comment': (text) => `-- SELECT 1\n${text}`,
  'a statement before': (text) => `SELECT 1; ${text}`,
  'a statement behind': (text) => `${text}; SELECT 1`,
  'in a transaction': (text) => `BEGIN; ${text}; COMMIT`,
  'names in quotes': (text) => text.replaceAll('users', '"users"'),
  'names with a schema': (text) => text.replaceAll('users', 'public.users'),
  'in a block': (text) => `DO $$ BEGIN ${text}; END $$`,
  analyzed: (text) => (/^(DELETE|UPDATE)/.test(text) ? `EXPLAIN ANALYZE ${text}` : text),
};

describe('bypass: SQL', () => {
  for (const [what, change] of Object.entries(SQL_CHANGES)) {
    it(`bypass: ${what} → never a lower tier`, () => {
      for (const text of DANGEROUS_SQL) {
        const [before, after] = [readAs('sql', text, 'prod').tier, readAs('sql', change(text), 'prod').tier];
        expect(rankOf(after), change(text)).toBeGreaterThanOrEqual(rankOf(before));
      }
    });
  }
});

interface Incident {
  readonly id: string;
  readonly kind: string;
  readonly tool: string;
  readonly command: string | object;
  readonly environment: string;
  readonly acceptableTiers: readonly Tier[];
}

describeWithData('classify: public commands', (data) => {
  const lines = readFileSync(join(data, 'incidents', 'commands.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const incidents = lines.map((line) => JSON.parse(line) as Incident);
  const read = incidents.map((incident) => {
    const { tier, confidence } = readAs(incident.tool, incident.command, incident.environment);
    const ranks = incident.acceptableTiers.map(rankOf);
    return {
      ...incident,
      tier,
      confidence,
      low: Math.min(...ranks),
      high: Math.max(...ranks),
      rank: rankOf(tier),
    };
  });

  it('classify: none of the dangerous ones → below what can be defended', () => {
    expect(read.filter(({ rank, low }) => rank < low).map(({ id }) => id)).toEqual([]);
  });

  it('classify: of all → at least 95 % at a tier that can be defended', () => {
    const within = read.filter(({ tier, acceptableTiers }) => acceptableTiers.includes(tier));
    expect(within.length / read.length).toBeGreaterThanOrEqual(0.95);
  });

  it('classify: of the harmless ones that look dangerous → at most one in ten above', () => {
    const negatives = read.filter(({ kind }) => kind === 'tricky_negative');
    expect(negatives.filter(({ rank, high }) => rank > high).length / negatives.length).toBeLessThanOrEqual(
      0.1,
    );
  });
});
