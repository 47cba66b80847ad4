/**
 * Runs the bundled tests for Stryker in one process, with mutants switched on and off in between: about 10 times as
 * fast as a run of vitest for each mutant. The tests are vitest's own, with the assertions of vitest (@vitest/expect);
 * only collecting and calling them is done here. What killed a mutant of a file is tried first on the next one.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Script } from 'node:vm';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { DryRunStatus, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { expect } from './expect.mjs';
import { bundleSuite } from './suite.mjs';

const require = createRequire(import.meta.url);
const stryker = (globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});
/** Names the coverage of what tests judge while they are collected, which is neither static nor a test's. */
const COLLECTING = '(collecting)';

/** Evaluates the bundle and gives its tests; the mutant that is active now is active while modules load. */
function collect(script) {
  const tests = [];
  const path = [];
  let file = '';
  let cleanups = [];
  const it = (name, run) => {
    tests.push({ id: `${file}#${[...path, name].join(' ')}`, name: [...path, name].join(' '), file, run });
  };
  const describe = (name, body) => {
    path.push(name);
    body();
    path.pop();
  };
  const nothing = () => undefined;
  Object.assign(it, { skip: nothing, todo: nothing });
  Object.assign(describe, { skip: nothing });
  const vitest = {
    it,
    test: it,
    describe,
    expect,
    onTestFinished: (cleanup) => cleanups.push(cleanup),
    afterAll: (cleanup) => process.once('exit', cleanup),
    beforeEach: nothing,
  };
  const open = (id) => (id === 'vitest' ? vitest : require(id));
  script.runInThisContext()(open, { exports: {} }, (name) => {
    file = name;
    stryker.currentTestId = COLLECTING;
  });
  stryker.currentTestId = undefined;
  const finish = () => {
    for (const cleanup of cleanups.reverse()) cleanup();
    cleanups = [];
  };
  return { tests, finish };
}

/** The message of what a test threw; undefined where it passed. */
async function failureOf({ finish }, test) {
  try {
    await test.run();
    return undefined;
  } catch (error) {
    return String(error?.message ?? error);
  } finally {
    try {
      finish();
    } catch {
      // What a mutant left behind may be beyond cleaning up; the test has already said what it thinks.
    }
  }
}

class SuiteRunner {
  /** Ids of tests by file of the harness, the last that killed a mutant there first. */
  killers = new Map();

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const text = await bundleSuite(process.cwd());
    this.script = new Script(`(function (require, module, __file) {${text}\n})`, { filename: 'suite.cjs' });
  }

  async dryRun() {
    stryker.activeMutant = undefined;
    this.suite = collect(this.script);
    const tests = [];
    for (const test of this.suite.tests) {
      const start = performance.now();
      stryker.currentTestId = test.id;
      const failureMessage = await failureOf(this.suite, test);
      stryker.currentTestId = undefined;
      tests.push({
        id: test.id,
        name: test.name,
        fileName: resolve(test.file),
        timeSpentMs: Math.round(performance.now() - start),
        ...(failureMessage === undefined
          ? { status: TestStatus.Success }
          : { status: TestStatus.Failed, failureMessage }),
      });
    }
    const coverage = stryker.mutantCoverage;
    delete coverage?.perTest[COLLECTING];
    return { status: DryRunStatus.Complete, tests, mutantCoverage: coverage };
  }

  async mutantRun(options) {
    const { activeMutant, testFilter, mutantActivation, hitLimit } = options;
    stryker.activeMutant = undefined;
    stryker.hitLimit = undefined;
    this.suite ??= collect(this.script);
    stryker.hitCount = 0;
    stryker.hitLimit = hitLimit;
    try {
      stryker.activeMutant = activeMutant.id;
      const suite = mutantActivation === 'static' ? collect(this.script) : this.suite;
      return await this.hold(suite, { testFilter, fileName: activeMutant.fileName });
    } catch (error) {
      return killed([], `the tests cannot be loaded: ${String(error?.message ?? error)}`, 0);
    } finally {
      stryker.activeMutant = undefined;
    }
  }

  async hold(suite, { testFilter, fileName }) {
    const killers = this.killers.get(fileName) ?? [];
    const wanted = testFilter === undefined ? undefined : new Set(testFilter);
    const rank = new Map(killers.map((id, at) => [id, at - killers.length]));
    const tests = suite.tests
      .filter(({ id }) => wanted === undefined || wanted.has(id))
      .sort((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
    let ran = 0;
    for (const test of tests) {
      ran++;
      const failure = await failureOf(suite, test);
      if (stryker.hitLimit !== undefined && stryker.hitCount > stryker.hitLimit)
        return { status: MutantRunStatus.Timeout, reason: 'hit limit reached' };
      if (failure === undefined) continue;
      this.killers.set(fileName, [test.id, ...killers.filter((id) => id !== test.id)]);
      return killed([test.id], failure, ran);
    }
    return { status: MutantRunStatus.Survived, nrOfTests: ran };
  }
}

function killed(killedBy, failureMessage, nrOfTests) {
  return { status: MutantRunStatus.Killed, killedBy, failureMessage, nrOfTests };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'suite', SuiteRunner)];
