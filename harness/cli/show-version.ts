/**
 * What `--version --json` prints: release, epoch, and the digests that records of this installation carry. `--version`
 * alone prints the release and reads nothing else.
 */
import { epochOf } from '../effects/genesis.js';
import { thisInterpreter } from './interpreter.js';
import { print } from './output.js';
import { harnessInfo } from './version.js';

export function showVersion(): void {
  const { digest: interpreter, node } = thisInterpreter();
  const { name, version } = harnessInfo();
  const shown = {
    name,
    version,
    interpreter,
    node: { version: node.version, digest: node.digest },
    epoch: epochOf(version),
  };
  print(`${JSON.stringify(shown, undefined, 2)}\n`);
}
