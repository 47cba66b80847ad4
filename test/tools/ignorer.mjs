/**
 * Leaves out mutants that only touch what is shown: the texts of rules and the roles of lines decide nothing.
 * Everything else in these files is mutated, ids and kinds of events too.
 */
import { PluginKind, declareValuePlugin } from '@stryker-mutator/api/plugin';

/** Members of a rule and of an involved line that are only ever shown. */
const SHOWN = new Set(['title', 'why', 'example', 'mend', 'say', 'role']);

const texts = {
  shouldIgnore(path) {
    if (!path.isObjectProperty() || path.node.computed) return undefined;
    const { key } = path.node;
    return SHOWN.has(key.name ?? key.value) ? `${key.name} is shown and decides nothing` : undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'texts', texts)];
