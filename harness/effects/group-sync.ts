/**
 * Puts a file on stable storage once for all who asked in the same turn of the event loop: calls of parallel tasks share
 * a sync. Writes stay where they were made; only the waiting is grouped.
 */

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class GroupSync {
  private readonly sync: () => void;
  private waiters: Waiter[] = [];

  constructor(sync: () => void) {
    this.sync = sync;
  }

  /** Settles, in the order of asking, when all that was written before the call is on stable storage. */
  done(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiters.push({ resolve, reject });
      if (this.waiters.length === 1) setImmediate(() => this.flush());
    });
  }

  private flush(): void {
    const waiters = this.waiters;
    this.waiters = [];
    try {
      this.sync();
    } catch (error) {
      for (const { reject } of waiters) reject(error);
      return;
    }
    for (const { resolve } of waiters) resolve();
  }
}
