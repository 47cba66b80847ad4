/**
 * Clients of databases: the statements they are given are read as SQL, or by what their own commands do.
 */
import type { ShellWord } from '../../core/grammars.js';
import { destroys, reachHere } from '../classify/command.js';
import type { Classifier, Family } from '../classify/command.js';
import { harmless, join, reading, unknown } from '../classify/reading.js';
import type { Reading } from '../classify/reading.js';

/** @param flag option behind which a statement stands */
function sqlClient(flag: RegExp): Family {
  return ({ name, words, input }, classifier) => {
    const given = words.flatMap((word, at) => statementAt(words, at, flag) ?? []);
    const isProduction = words.some(({ value }) => /prod/i.test(value));
    const there = isProduction
      ? { ...classifier, facts: { ...classifier.facts, surroundings: 'production' as const } }
      : classifier;
    const read = given.map((word) => statement(word, there));
    if (input.type === 'text') read.push(there.sql(input.text));
    if (input.type === 'unknown') read.push(unknown(`${name} runs whatever it is fed`, `input of ${name}`));
    const file = words.findIndex(({ value }) => value === '-f' || value === '--file');
    if (file >= 0)
      read.push(
        reading(
          ['hard', 'wide'],
          `${name} runs ${words[file + 1]?.value ?? 'a file'}, which was not looked into`,
          { unresolved: [words[file + 1]?.value ?? 'file'] },
        ),
      );
    return join(read, `${name} with nothing to run`);
  };
}

function statementAt(words: readonly ShellWord[], at: number, flag: RegExp): ShellWord | undefined {
  const value = words[at]?.value ?? '';
  if (flag.test(value)) return words[at + 1];
  const glued = /^(?:--command|--execute)=(.*)$/s.exec(value)?.[1];
  return glued === undefined ? undefined : { ...words[at]!, value: glued };
}

function statement(word: ShellWord, classifier: Classifier): Reading {
  const read = classifier.sql(word.value.replace(/^\\/, '-- '));
  const open = word.expansions.filter(({ kind }) => kind !== 'glob');
  return open.length === 0
    ? read
    : join([read, unknown('a statement that is put together as it runs', word.value.slice(0, 60))]);
}

const sqlite: Family = ({ words, input }, classifier) => {
  const [, ...statements] = words.filter(({ value }) => !value.startsWith('-'));
  const read = statements.map((word) =>
    word.value.startsWith('.') ? harmless('shows the database') : statement(word, classifier),
  );
  if (input.type === 'text') read.push(classifier.sql(input.text));
  return join(read, 'sqlite3 with nothing to run');
};

const SCRATCH_NAME = /(^|[_-])(test|tmp|temp|scratch|ci)([_-]|\d|$)/i;

const dropdb: Family = ({ words }, { facts }) => {
  const name = words.findLast(({ value }) => !value.startsWith('-'))?.value ?? '';
  if (SCRATCH_NAME.test(name) && facts.surroundings !== 'production')
    return reading(['trivial', 'local'], `drops the test database ${name}`);
  return reading(['irreversible', reachHere(facts)], `drops the database ${name}`, {
    tripwires: ['db.schema-destruction'],
  });
};

const redis: Family = ({ words }, { facts }) => {
  const said = words.map(({ value }) => value).join(' ');
  if (/\b(flushall|flushdb|shutdown|swapdb)\b/i.test(said))
    return destroys('redis: deletes every key', facts, ['db.schema-destruction']);
  if (/\b(eval|evalsha|script|config set|debug|replicaof|slaveof)\b/i.test(said))
    return reading(['hard', 'wide'], 'redis: changes the server or runs a script');
  if (
    /\b(get|mget|keys|scan|info|ttl|exists|type|llen|lrange|hget|hgetall|smembers|zrange|ping|dbsize|monitor|strlen)\b/i.test(
      said,
    )
  )
    return harmless('redis: reads');
  return reading(
    [/\b(del|unlink|expire|rename|hdel|srem|ltrim)\b/i.test(said) ? 'irreversible' : 'hard', 'local'],
    'redis: changes keys',
  );
};

const mongo: Family = ({ words, input }, { facts }) => {
  const said = `${words.map(({ value }) => value).join(' ')} ${input.type === 'text' ? input.text : ''}`;
  if (/dropDatabase|\.drop\(|deleteMany\(\s*(\{\s*\})?\s*\)|remove\(\s*(\{\s*\})?\s*\)|drop\w*\(/.test(said))
    return destroys('mongo: deletes everything in a collection or database', facts, [
      'db.schema-destruction',
    ]);
  if (/delete|remove/.test(said)) return reading(['irreversible', 'bounded'], 'mongo: deletes what matches');
  if (/update|replace|insert|bulkWrite|rename/.test(said))
    return reading(['hard', 'bounded'], 'mongo: changes documents');
  return harmless('mongo: reads');
};

const restore: Family = ({ words }, { facts }) =>
  words.some(({ value }) => /^(-c|--clean|--drop|--create|-C)$/.test(value))
    ? destroys('restores over what is there', facts, ['db.schema-destruction'])
    : reading(['hard', 'wide'], 'loads a dump into a database');

export const DATABASES: Readonly<Record<string, Family>> = {
  psql: sqlClient(/^(-c|--command|-[a-zA-Z]*c)$/),
  mysql: sqlClient(/^(-e|--execute|-[a-zA-Z]*e)$/),
  mariadb: sqlClient(/^(-e|--execute)$/),
  sqlcmd: sqlClient(/^(-Q|-q)$/),
  'clickhouse-client': sqlClient(/^(-q|--query)$/),
  sqlite3: sqlite,
  dropdb,
  createdb: () => reading(['trivial', 'local'], 'makes a database'),
  dropuser: () => reading(['hard', 'critical'], 'drops a role'),
  pg_restore: restore,
  mongorestore: restore,
  pg_dump: () => harmless('reads a database'),
  mysqldump: () => harmless('reads a database'),
  mongodump: () => harmless('reads a database'),
  mysqladmin: ({ words }, { facts }) =>
    words.some(({ value }) => value === 'drop')
      ? destroys('drops a database', facts, ['db.schema-destruction'])
      : reading(['hard', 'wide'], 'changes the server'),
  'redis-cli': redis,
  mongosh: mongo,
  mongo,
};
