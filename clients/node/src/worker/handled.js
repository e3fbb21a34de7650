/** Runs a handler and decides what is told of it. */

import { Complete, RetryError, Snooze, TerminalError } from "../errors.js";
import { dataOut, followerOut, noteOut } from "../wire.js";
import { shown } from "./failure.js";

/** In place of a result: the lease was over before the handler could start. */
const LAPSED = Symbol("lapsed");
/** Timers wrap around beyond this. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The event to settle with and its fields; `undefined` if the lease is lost, so that there is nothing
 * to settle.
 *
 * @param {import("./job.js").Held} held
 * @param {Map<string, Function>} handlers
 * @returns {Promise<{event: string, fields: object} | undefined>}
 */
export async function handled(held, handlers, { timeLimitMs, abortGraceMs, emit, retry }) {
  const handler = handlers.get(held.kind);
  if (handler === undefined) {
    const error = { name: "UnknownKind", message: `this worker has no handler for ${held.kind}` };
    emit("unknown_kind", { job: held.job, kind: held.kind });
    return { event: "fail", fields: { cause: "unknown_kind", error } };
  }
  if (held.isCancelled) return { event: "interrupt", fields: {} };
  // A handler that blocks the loop, or a machine that stood still, makes the others start late: the job
  // may run elsewhere by then.
  const started = ({ job, lapsesAt }) => (performance.now() >= lapsesAt ? LAPSED : handler(job));
  const limitMs = held.timeLimitMs ?? timeLimitMs;
  const limit = limitMs === undefined ? undefined : setTimeout(() => held.stop("time_limit"), Math.min(limitMs, TIMER_MS_MAX));
  const givenUp = afterAbort(held.abort.signal, abortGraceMs);
  try {
    const run = Promise.resolve(held).then(started).then((value) => ({ value }), (error) => ({ error }));
    const ended = await Promise.race([run, givenUp.promise]);
    if (held.isLost) return undefined;
    return told(ended, held, { emit, retry });
  } finally {
    clearTimeout(limit);
    givenUp.forget();
  }
}

/** A promise of `null`, so long after a signal as `ms` says then. */
function afterAbort(signal, ms) {
  let timer;
  let onAbort;
  const promise = new Promise((resolve) => {
    onAbort = () => {
      timer = setTimeout(resolve, ms(), null);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
  const forget = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
  return { promise, forget };
}

function told(ended, held, { emit, retry }) {
  const why = held.abort.signal.aborted ? held.abort.signal.reason.why : undefined;
  if (ended === null) {
    emit("handler_abandoned", { job: held.job, why });
    return stopped(why, held);
  }
  if (ended.value === LAPSED) return { event: "release", fields: {} };
  if ("error" in ended) return failed(ended.error, why, held, { emit, retry });
  if (ended.value instanceof Snooze) return snoozed(ended.value, why, held);
  try {
    return { event: "complete", fields: completed(ended.value, held.members) };
  } catch (error) {
    // Another attempt would do the work again and end here again.
    emit("result_refused", { job: held.job, error });
    return { event: "fail", fields: { cause: "terminal", error: { name: "Unstorable", message: error.message } } };
  }
}

/** An older service refuses the field `members`, so it is left out when it is empty. */
function completed(value, members) {
  const joining = members.length === 0 ? {} : { members };
  if (!(value instanceof Complete)) return { ...dataOut("result", value), ...joining };
  const { result, contentType, keep, then } = value;
  return { ...dataOut("result", result, contentType), keep, then: then?.map(followerOut), ...joining };
}

function failed(error, why, held, { emit, retry }) {
  if (isStop(error, held.abort.signal)) return stopped(why, held);
  if (error instanceof Snooze) return snoozed(error, why, held);
  emit("job_failed", { job: held.job, error, attempt: held.job.attempt });
  const fields = { error: shown(error) };
  const askedMs = error instanceof RetryError ? error.delayMs : undefined;
  if (!(error instanceof TerminalError)) fields.delay_ms = askedMs ?? waitMs(retry, held, error);
  if (error instanceof TerminalError) {
    Object.assign(fields, { cause: "terminal", keep: error.keep, then: error.then?.map(followerOut) });
  }
  return { event: "fail", fields };
}

/** What the program wants the next attempt to wait; the service decides where it says no number. */
function waitMs(retry, held, error) {
  try {
    const ms = retry?.(held.job.attempt, error);
    return Number.isFinite(ms) && ms >= 0 ? Math.round(ms) : undefined;
  } catch {
    // The error of the handler must not be lost for one of this function.
    return undefined;
  }
}

/** Whether an error says no more than that the handler obeyed its signal. */
function isStop(error, signal) {
  if (!signal.aborted) return false;
  return error === signal.reason || error?.name === "AbortError" || error?.cause === signal.reason;
}

/**
 * What is told of a handler that ended because it was asked to. A lease that lapsed by this clock
 * alone may have been extended meanwhile; the job is given back then, and otherwise nothing changes.
 */
function stopped(why, held) {
  if (why === "time_limit") {
    return { event: "fail", fields: { error: { name: "TimeLimit", message: "the handler ran over its time limit" } } };
  }
  return { event: "interrupt", fields: { ...held.unsent } };
}

function snoozed(snooze, why, held) {
  // A handler over its limit is charged, or it could run for ever by snoozing.
  if (why === "time_limit") return stopped(why, held);
  const progress = snooze.progress === undefined ? held.unsent : noteOut("progress", snooze.progress);
  return { event: "snooze", fields: { delay_ms: snooze.delayMs, ...progress } };
}
