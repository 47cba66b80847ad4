/**
 * Programs that send: what is sent where. What looks like a secret on its way out is the worst there is.
 */
import type { ShellWord } from '../../core/grammars.js';
import { operandsOf } from '../classify/command.js';
import type { Classifier, Family } from '../classify/command.js';
import { isAllowedHost, hostOf, readRequest } from '../classify/http.js';
import { harmless, join, reading } from '../classify/reading.js';
import type { Reading } from '../classify/reading.js';
import { SECRET } from '../classify/secrets.js';

/** A secret, or the output of a command, in what goes out. */
function leaks(words: readonly ShellWord[], { facts }: Classifier): Reading[] {
  const hosts = words.map(({ value }) => hostOf(value)).filter((host) => host !== undefined);
  if (hosts.length > 0 && hosts.every((host) => isAllowedHost(host, facts))) return [];
  return words
    .filter(
      (word) =>
        SECRET.test(word.value) && !/^(-H|--header)/.test(word.value) && !/^authorization:/i.test(word.value),
    )
    .map((word) =>
      reading(['irreversible', 'critical'], `sends what looks like a secret (${word.value.slice(0, 60)})`, {
        from: word.from,
        to: word.to,
        tripwires: ['secrets.exfiltration-shape', 'net.unexpected-egress'],
      }),
    );
}

const curl: Family = ({ name, words }, classifier) => {
  const urls = words.filter(({ value }) => /^(https?:\/\/|[\w-]+(\.[\w-]+)+(\/|:|$)|localhost)/i.test(value));
  const method = methodOf(words);
  const saves = words.findIndex(({ value }) => /^(-o|-O|--output|--output-document)$/.test(value));
  const file = saves < 0 ? undefined : words[saves + 1];
  const requests = urls.map((url) =>
    readRequest({ method, url: url.value, isOpen: url.expansions.length > 0 }, classifier.facts),
  );
  const parts = [
    ...leaks(words, classifier),
    ...requests,
    ...(file === undefined ? [] : [reading(['trivial', 'local'], `saves ${file.value}`)]),
  ];
  return join(parts, `${name} without an address`);
};

function methodOf(words: readonly ShellWord[]): string {
  for (const [at, { value }] of words.entries()) {
    const glued = /^(?:-X|--request=|--method=)(\w+)$/.exec(value)?.[1];
    if (glued !== undefined) return glued.toUpperCase();
    if (value === '-X' || value === '--request' || value === '--method')
      return (words[at + 1]?.value ?? 'GET').toUpperCase();
  }
  if (words.some(({ value }) => /^(-T|--upload-file)$/.test(value))) return 'PUT';
  return words.some(({ value }) =>
    /^(-d|--data|--data-\w+|-F|--form|--json|--post-data|--post-file)(=|$)/.test(value),
  )
    ? 'POST'
    : 'GET';
}

/** Anything that is said to another host without a protocol that is understood. */
const sends: Family = ({ words, input }, classifier) => {
  const found = leaks(words, classifier);
  const host = operandsOf(words).map(({ value }) => hostOf(value) ?? value)[0];
  if (found.length > 0) return join(found);
  if (input.type !== 'none')
    return reading(['irreversible', 'wide'], `sends what it is fed to ${host ?? 'somewhere'}`, {
      tripwires: ['net.unexpected-egress'],
    });
  return reading(['hard', 'bounded'], `talks to ${host ?? 'another host'}`, {
    tripwires: host !== undefined && isAllowedHost(host, classifier.facts) ? [] : ['net.unexpected-egress'],
  });
};

/** Names that are asked for tell whoever answers. */
const asks: Family = ({ words }, classifier) => {
  const open = words.filter(({ expansions }) =>
    expansions.some(({ kind }) => kind === 'command' || kind === 'variable'),
  );
  if (open.length === 0) return join(leaks(words, classifier), 'asks for a name');
  return reading(['irreversible', 'critical'], 'puts what it read into a name that it asks for', {
    tripwires: ['secrets.exfiltration-shape', 'net.unexpected-egress'],
    unresolved: open.map(({ value }) => value),
  });
};

/** A command on another machine, or none: then somebody types there. */
const ssh: Family = ({ words, input }, classifier) => {
  const rest = [...words];
  while (rest[0]?.value.startsWith('-') === true)
    rest.splice(0, /^-[bcDEeFIiJLlmOopQRSWw]$/.test(rest[0].value) ? 2 : 1);
  const [host, ...command] = rest;
  if (host === undefined) return harmless('ssh without a host');
  const text = command.map(({ value }) => value).join(' ');
  const there = {
    ...classifier,
    facts: { ...classifier.facts, surroundings: 'production' as const, sandboxRoot: '/nowhere' },
  };
  const done =
    text === ''
      ? input.type === 'text'
        ? there.shell(input.text)
        : reading(['hard', 'wide'], 'opens a shell elsewhere')
      : classifier.shell(text);
  return join([done, reading(['trivial', 'bounded'], `on the host ${host.value}`)]);
};

const scp: Family = ({ words }, classifier) => {
  const target = operandsOf(words).at(-1)?.value ?? '';
  const found = leaks(words, classifier);
  if (found.length > 0 && target.includes(':')) return join(found);
  return target.includes(':')
    ? reading(['hard', 'wide'], `copies files to ${target}`, { tripwires: ['net.unexpected-egress'] })
    : reading(['trivial', 'local'], 'fetches files');
};

const mail: Family = ({ words }) =>
  reading(
    ['irreversible', words.length > 6 ? 'wide' : 'bounded'],
    'sends mail, which cannot be called back',
    { tripwires: words.length > 6 ? ['mail.mass-send'] : [] },
  );

export const NETWORK: Readonly<Record<string, Family>> = {
  curl,
  wget: curl,
  http: curl,
  https: curl,
  xh: curl,
  nc: sends,
  ncat: sends,
  netcat: sends,
  telnet: sends,
  socat: sends,
  ftp: sends,
  sftp: sends,
  dig: asks,
  nslookup: asks,
  host: asks,
  ping: asks,
  ssh,
  scp,
  mail,
  sendmail: mail,
  mutt: mail,
  mailx: mail,
};
