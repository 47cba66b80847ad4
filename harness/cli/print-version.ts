/**
 * `counterproof --version --json`: what this is, to the byte, as it is pinned in what it records.
 */
import { epochOf } from '../effects/genesis.js';
import { thisInterpreter } from './interpreter.js';
import { print } from './output.js';
import { harnessInfo } from './version.js';

export function printVersion(): void {
  const { name, version } = harnessInfo();
  const { digest, node } = thisInterpreter();
  const said = {
    name,
    version,
    interpreter: digest,
    node: { version: node.version, digest: node.digest },
    semanticsEpoch: epochOf(version),
  };
  print(`${JSON.stringify(said, undefined, 2)}\n`);
}
