/**
 * What can go wrong in a call, and what a handler throws to say how it ended. Lost leases, missing
 * jobs and taken ids are outcomes and never thrown.
 */

/** A call that did not succeed. Its `kind` says what to do; its message never holds a token. */
export class QueueError extends Error {
  /** @param {import("./values.d.ts").QueueErrorInit} init */
  constructor(init) {
    super(init.detail, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "QueueError";
    this.kind = init.kind;
    this.certainty = init.certainty;
    this.status = init.status ?? null;
    this.retryAfterMs = init.retryAfterMs ?? null;
    /** Why, where a program acts on more than the kind, such as `batch_sealed`. */
    this.reason = init.reason ?? null;
    /** With `enqueueMany` and `addAll`: the outcomes of the jobs before the first not stored. */
    this.outcomes = [];
  }

  /** Whether the same call may succeed later. */
  get isTemporary() {
    return ["conflict", "too_many", "unavailable", "closed"].includes(this.kind);
  }
}

/** Certain not to have had any effect, since it never left this process. */
export function invalid(detail, cause) {
  return new QueueError({ kind: "invalid", certainty: "not_applied", detail, cause });
}

/**
 * Refuses a name that is not known, since a misspelt option must not be dropped without a word.
 *
 * @param {string} what has options, such as "a job" @param {"field" | "option" | "filter"} word for one of them
 * @param {object} given @param {readonly string[]} names the known ones
 */
export function onlyNames(what, word, given, names) {
  if (typeof given !== "object" || given === null) throw invalid(`the ${word}s of ${what} are an object with ${names.join(", ")}`);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalid(`${what} has no ${word} ${JSON.stringify(unknown)}, only ${names.join(", ")}`);
}

/** No answer came. */
export function unavailable(detail, certainty = "unknown", cause = undefined, status = undefined) {
  return new QueueError({ kind: "unavailable", certainty, detail, cause, status });
}

/** Thrown by a handler: no further attempt can help. */
export class TerminalError extends Error {
  /** @param {string} message @param {import("./values.d.ts").TerminalOptions} [options] */
  constructor(message, options = {}) {
    onlyNames("a TerminalError", "option", options, ["name", "details", "keep", "then", "cause"]);
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = options.name ?? "TerminalError";
    this.details = options.details;
    this.keep = options.keep;
    this.then = options.then;
  }
}

/** Thrown by a handler: the attempt failed, and the next one comes after this delay. */
export class RetryError extends Error {
  /** @param {string} message @param {import("./values.d.ts").RetryOptions} [options] */
  constructor(message, options = {}) {
    onlyNames("a RetryError", "option", options, ["name", "delayMs", "details", "cause"]);
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = options.name ?? "RetryError";
    this.delayMs = options.delayMs;
    this.details = options.details;
  }
}

/** Thrown by a handler, or returned: the job runs again after the delay, and no attempt is charged. */
export class Snooze extends Error {
  /** @param {number} delayMs @param {{progress?: unknown}} [options] */
  constructor(delayMs, options = {}) {
    onlyNames("a Snooze", "option", options, ["progress"]);
    super(`snoozed for ${delayMs} ms`);
    this.name = "Snooze";
    this.delayMs = delayMs;
    this.progress = options.progress;
  }
}

/** Returned by a handler that has more to say than a result. */
export class Complete {
  /** @param {unknown} [result] @param {{contentType?: string, keep?: unknown, then?: unknown[]}} [options] */
  constructor(result, options = {}) {
    onlyNames("a Complete", "option", options, ["contentType", "keep", "then"]);
    this.result = result;
    this.contentType = options.contentType;
    this.keep = options.keep;
    this.then = options.then;
  }
}

/** The reason of `job.signal` when it is aborted. */
export class Stopped extends Error {
  /** @param {"lease_lost" | "cancel_requested" | "time_limit" | "shutdown"} why */
  constructor(why) {
    super(`the handler is asked to stop: ${why.replace("_", " ")}`);
    this.name = "Stopped";
    this.why = why;
  }
}
