/**
 * A small architecture page and the import table in it, for the tests of the style checks.
 * It is no copy of the real page: that one changes, and a test of a rule must not change with it.
 */
import { parseImportTable } from './table.js';

export const PAGE = [
  '| folder | may import | I/O | holds |',
  '|---|---|---|---|',
  '| core | – | no (`node:crypto`, `node:buffer`) | words |',
  '| grammar | core | no (`node:buffer`) | scanner |',
  '| log | core, grammar | yes | files |',
  '| oracle | core | no | rules |',
  '| gate *(planned)* | core | no | decisions |',
  '| `index.ts` | all | no | public face |',
  '| cli | all | yes (`process`, `Date.now`) | commands |',
].join('\n');
export const TABLE = parseImportTable(PAGE).table;
