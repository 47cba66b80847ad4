/**
 * Errors an operator must act on, and the assertion for our own faults.
 *
 * A finding about a run is a returned value (see verdict.ts), never an exception. A `HarnessError` is
 * what a person can cause and mend: a missing file, a full disk, a wrong flag. It is caught only in cli/main.ts.
 */

/** Exit codes of every command. Values above 2 follow BSD `sysexits(3)`; 130 is 128 + SIGINT. */
export const EXIT = {
  pass: 0,
  fail: 1,
  unknown: 2,
  usage: 64,
  noInput: 66,
  internal: 70,
  io: 74,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const EXIT_OF_CODE = {
  usage: EXIT.usage,
  'no-input': EXIT.noInput,
  'invalid-input': EXIT.fail,
  'io-failed': EXIT.io,
  'disk-full': EXIT.io,
  'run-removed': EXIT.io,
  'lanes-exhausted': EXIT.io,
  'line-too-long': EXIT.usage,
  interrupted: EXIT.interrupted,
} as const satisfies Record<string, ExitCode>;

/** Stable names of what an operator can run into; scripts may match on them. */
export type ErrorCode = keyof typeof EXIT_OF_CODE;

/** A fault the operator can mend. `message` says what and where, `hint` says what to do. */
export class HarnessError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  /** @param advice what to do about it, with the error behind it where there is one */
  constructor(
    code: ErrorCode,
    message: string,
    advice: string | { readonly hint: string; readonly cause: unknown },
  ) {
    super(message, typeof advice === 'string' ? undefined : { cause: advice.cause });
    this.name = 'HarnessError';
    this.code = code;
    this.hint = typeof advice === 'string' ? advice : advice.hint;
  }

  /** The process exit code this error stands for. */
  get exitCode(): ExitCode {
    return EXIT_OF_CODE[this.code];
  }
}

export function isHarnessError(error: unknown): error is HarnessError {
  return error instanceof HarnessError;
}

/** Marks a state that only a fault of ours can reach. @throws always */
export function unreachable(what: string): never {
  throw new Error(`counterproof bug: ${what}`);
}

/** Throws unless `condition` holds; for facts that our own code guarantees, not for input. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) unreachable(what);
}
