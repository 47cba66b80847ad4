/**
 * The floors that `scan` and `replay` are measured against: what everybody has to do at least who trusts no byte of a
 * run's objects. Given packs, goes from header to header and hashes each payload; given folders, opens, reads and hashes
 * every file in them, which is how a store of one file an object is read. Checks nothing else.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LF = 0x0a;

function isSound(payload, hash) {
  return createHash('sha256').update(payload).digest('hex') === hash;
}

/** @returns objects whose payload has the hash that the header says */
function readPack(path) {
  const pack = readFileSync(path);
  let sound = 0;
  for (let at = 0; at < pack.length;) {
    const from = pack.indexOf(LF, at) + 1;
    const { hash, bytes } = JSON.parse(pack.toString('latin1', at, from));
    // A header without a length is one more label of an object that stands earlier.
    if (bytes !== undefined && isSound(pack.subarray(from, from + bytes), hash.slice(7))) sound++;
    at = bytes === undefined ? from : from + bytes + 1;
  }
  return sound;
}

function readFolder(path) {
  let sound = 0;
  for (const name of readdirSync(path)) {
    for (const rest of readdirSync(join(path, name))) {
      if (isSound(readFileSync(join(path, name, rest)), name + rest)) sound++;
    }
  }
  return sound;
}

let sound = 0;
for (const path of process.argv.slice(2))
  sound += statSync(path).isDirectory() ? readFolder(path) : readPack(path);
process.stdout.write(`${sound}\n`);
