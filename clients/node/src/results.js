/** What `queue.result` throws: the ends of a job that have no result. */

/** A job has no result, or not yet. `outcome` is what `queue.wait` answers in its place. */
export class NoResult extends Error {
  constructor(message, outcome) {
    super(message);
    this.name = new.target.name;
    this.id = outcome.id;
    this.outcome = outcome;
  }
}

/** No further attempt will be made. */
export class JobFailed extends NoResult {
  /** @param {any} outcome @param {any} shown the job as `get` shows it; empty if the token may not view it */
  constructor(outcome, shown) {
    const { reason, error } = outcome;
    const { attempts_made: attempts, max_attempts: most } = shown;
    const maxAttempts = typeof most === "number" ? most : undefined;
    const of = maxAttempts === undefined ? "" : ` of ${maxAttempts}`;
    const made = attempts === undefined ? "" : ` (attempt ${attempts}${of})`;
    super(`${error === undefined ? `the job failed: ${reason}` : textOf(error)}${made}`, outcome);
    Object.assign(this, { reason, error, attempts, maxAttempts });
  }
}

/** The job was cancelled; its `reason` is `expired` if it could not start in time. */
export class JobCancelled extends NoResult {
  constructor(outcome) {
    const why = outcome.reason === "expired" ? "it could not start in time" : "by a call";
    super(`the job ${JSON.stringify(outcome.id)} was cancelled: ${why}`, outcome);
    this.reason = outcome.reason;
  }
}

/** The job is not over by the end of the wait. */
export class JobPending extends NoResult {
  constructor(outcome, shown) {
    const { id, state } = outcome;
    const error = shown.error ?? undefined;
    const last = error === undefined ? "" : `; last error: ${textOf(error)}`;
    super(`the job ${JSON.stringify(id)} is not over: its state is ${state}${last}`, outcome);
    Object.assign(this, { state, error });
  }
}

/** There is no job of this id, its record was not kept long enough, or a newer job has the id. */
export class JobMissing extends NoResult {
  constructor(outcome) {
    const why = { superseded: "a newer job has the id", expired: "its record was not kept long enough" };
    super(`the job ${JSON.stringify(outcome.id)} has no result: ${why[outcome.outcome] ?? "there is no job of this id"}`, outcome);
  }
}

/**
 * The result, or what is thrown in its place. An error says more with the job as it is shown, for
 * which the token may lack the scope.
 *
 * @param {import("./index.d.ts").Outcome} outcome @param {() => Promise<any>} get the job as it is shown
 */
export async function resultOf(outcome, get) {
  const shown = async () => {
    const found = await get().catch(() => ({}));
    return found.seq === outcome.seq ? found : {};
  };
  switch (outcome.outcome) {
    case "completed":
      return outcome.result;
    case "failed":
      throw new JobFailed(outcome, await shown());
    case "cancelled":
      throw new JobCancelled(outcome);
    case "pending":
      throw new JobPending(outcome, await shown());
    default:
      throw new JobMissing(outcome);
  }
}

function textOf({ name, message }) {
  return message === "" ? name : `${name}: ${message}`;
}
