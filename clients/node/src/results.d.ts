/** What `queue.result` throws: the ends of a job that have no result. */

import type { JobError, Outcome, State } from "./index.js";

/** A job has no result, or not yet. */
export class NoResult extends Error {
  protected constructor();
  readonly id: string;
  /** What `queue.wait` answers in its place. */
  readonly outcome: Outcome;
}

/** No further attempt will be made. The message is such as `Error: smtp down (attempt 1 of 1)`. */
export class JobFailed extends NoResult {
  private constructor();
  readonly reason: "exhausted" | "terminal" | "stalled" | "unknown_kind" | "undecodable" | undefined;
  /** The error of the last attempt. */
  readonly error: JobError | undefined;
  /** How many attempts were made; `undefined` if the token has not the scope `view`. */
  readonly attempts: number | undefined;
  /** How many are allowed; `undefined` also if they are unlimited. */
  readonly maxAttempts: number | undefined;
}

export class JobCancelled extends NoResult {
  private constructor();
  /** `expired` if the job could not start in time. */
  readonly reason: "expired" | undefined;
}

/** The job is not over by the end of the wait. */
export class JobPending extends NoResult {
  private constructor();
  readonly state: State;
  /** How its last attempt failed; `undefined` if none did, or if the token has not the scope `view`. */
  readonly error: JobError | undefined;
}

/** There is no job of this id, its record was not kept long enough, or a newer job has the id. */
export class JobMissing extends NoResult {
  private constructor();
}
