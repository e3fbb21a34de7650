/** The `work` step of a scenario: a worker with handlers that the scenario describes. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { Complete, JsonText, RetryError, Snooze, TerminalError, Worker } from "../src/index.js";
import { jobIn } from "./fields.js";
import { filled, mismatch } from "./patterns.js";

const END_MS = 60_000;

/** @param {any} run the scenario under way @param {any} work @param {(steps: any[]) => Promise<void>} steps */
export async function work(run, { handlers, concurrency, lease_ms, grace_ms, then = [], end = "stop", saw }, steps) {
  const seen = [];
  run.seen = seen;
  const given = Object.keys(handlers).length === 0 ? { none: { do: "return" } } : handlers;
  const made = Object.entries(given).map(([kind, plan]) => [kind, handler(run, plan, seen)]);
  const worker = new Worker(run.queue, new Map(made), {
    concurrency, leaseMs: lease_ms, graceMs: grace_ms, abortGraceMs: 500, signals: false, onEvent: () => {},
  });
  const ended = worker.run().then(() => undefined, (error) => error);
  try {
    await steps(then);
    if (end === "stop") void worker.stop().catch(() => {});
    const error = await inTime(ended);
    if (end.problem === undefined) assert.ifError(error);
    else assert.equal(mismatch(end.problem, error, run.names, "problem"), undefined);
  } finally {
    run.seen = undefined;
    void worker.stop({ graceMs: 0 }).catch(() => {});
    await inTime(ended);
  }
  if (saw !== undefined) assert.equal(mismatch(saw, seen, run.names, "saw"), undefined);
}

function inTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("the worker does not end")), END_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function handler(run, plan, seen) {
  const plans = Array.isArray(plan) ? plan : [plan];
  let starts = 0;
  return (job) => {
    seen.push(jobIn(job));
    const now = plans[Math.min(starts, plans.length - 1)];
    starts += 1;
    return act(run, filled(now, run.names), job);
  };
}

const ACTS = {
  echo: (_, job) => (job.payloadText === undefined
    ? new Complete(job.payload, { contentType: job.contentType })
    : new JsonText(job.payloadText)),
  value: (_, job) => job.payload,
  headers: (_, job) => job.headers,
  return: ({ value }) => value,
  fail: ({ delay_ms, error }) => {
    if (delay_ms === undefined && error === undefined) throw new Error("it does not work");
    throw new RetryError(error?.message ?? "later", { name: error?.name, details: error?.details, delayMs: delay_ms });
  },
  terminal: ({ error = {} }) => {
    throw new TerminalError(error.message ?? "never", { name: error.name, details: error.details });
  },
  snooze: ({ delay_ms, progress }) => new Snooze(delay_ms, { progress }),
  hang: async (_, job) => {
    await asked(job);
    job.signal.throwIfAborted();
  },
  ignore: () => new Promise(() => {}),
  finish_when_asked: async ({ value }, job) => {
    await asked(job);
    return value;
  },
  progress: ({ value, after }, job, run) => {
    job.setProgress(value);
    return act(run, after, job);
  },
  add_member: ({ job: member, after }, job, run) => {
    job.batch.add(run.jobOf(member));
    return act(run, after, job);
  },
  enqueue: async ({ job: next }, job, run) => {
    await run.queue.enqueue({ ...run.jobOf(next), parent: job });
    return null;
  },
};

function act(run, plan, job) {
  const does = ACTS[plan.do];
  assert.ok(does, `a handler cannot ${plan.do}`);
  return does(plan, job, run);
}

async function asked(job) {
  if (!job.signal.aborted) await once(job.signal, "abort");
}
