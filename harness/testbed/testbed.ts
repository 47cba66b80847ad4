/**
 * One testbed: everything an agent of one run can reach, made from a task's fixture and thrown away after the run.
 *
 * Its state has a digest, so that every run of a task is known to start from the same; and it can be cloned, so that an
 * action can be tried without consequence before anybody decides on it.
 */
import { canonicalBytes } from '../core/canonical.js';
import { digestOf } from '../core/digest.js';
import type { Digest } from '../core/digest.js';
import type { Handlers } from '../effects/ports.js';
import { workspaceHandlers } from './workspace.js';
import { Worktree } from './worktree.js';

/** What a task's fixture may hold. */
export interface Fixture {
  readonly files: Readonly<Record<string, string>>;
}

/** What is different between two states, by path. */
export interface StateChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export class Testbed {
  readonly worktree: Worktree;

  private constructor(worktree: Worktree) {
    this.worktree = worktree;
  }

  static create(fixture: Fixture): Testbed {
    return new Testbed(Worktree.create(fixture.files));
  }

  /** The handlers of all effects that act on this testbed. */
  handlers(): Handlers {
    return workspaceHandlers(this.worktree);
  }

  clone(): Testbed {
    return new Testbed(this.worktree.clone());
  }

  /** Digest over all that an agent could have changed. */
  digest(): Digest {
    const files = [...this.worktree.state()].map(([path, { bytes, sha256 }]) => ({ path, bytes, sha256 }));
    return digestOf(canonicalBytes({ files }));
  }

  /** What the other testbed has, compared with this one. */
  changeTo(other: Testbed): StateChange {
    const before = this.worktree.state();
    const after = other.worktree.state();
    return {
      added: [...after.keys()].filter((path) => !before.has(path)),
      changed: [...after]
        .filter(([path, { sha256 }]) => (before.get(path)?.sha256 ?? sha256) !== sha256)
        .map(([path]) => path),
      removed: [...before.keys()].filter((path) => !after.has(path)),
    };
  }

  dispose(): void {
    this.worktree.dispose();
  }
}
