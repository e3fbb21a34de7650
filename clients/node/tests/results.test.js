/** What a producer learns of a job: its result or why there is none, its body, and where it failed. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { JobCancelled, JobFailed, JobMissing, JobPending, Queue, RetryError, TerminalError, Worker } from "../src/index.js";
import { log } from "../src/worker/log.js";
import { Server } from "./server.js";

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.remove());

const handlers = {
  good: (job) => job.payload,
  bad: () => { throw new Error("smtp down"); },
  lookup: () => { throw new TerminalError("no such host", { cause: new TypeError("host is not a text") }); },
  vague: () => { throw new RetryError("later"); },
  soon: () => { throw new RetryError("later", { delayMs: 60_000 }); },
  busy: () => { throw new RetryError("busy", { delayMs: 0 }); },
};

/** A queue of its own and, unless it is to wait, a worker. */
function place(t, name, { token = "all", works = true, ...options } = {}) {
  const queue = new Queue(name, { url: server.url, token: server.tokens[token] });
  t.after(() => queue.close());
  if (!works) return queue;
  const worker = new Worker(name, handlers, { url: server.url, token: server.tokens.all, signals: false, onEvent: () => {}, ...options });
  t.after(() => worker.stop());
  void worker.run();
  return queue;
}

test("result answers the result, or throws how the job failed and at which attempt", { timeout: 60_000 }, async (t) => {
  const queue = place(t, "results");
  await queue.enqueueMany([{ id: "good", kind: "good", payload: [1] }, { id: "bad", kind: "bad", maxAttempts: 1 }]);
  assert.deepEqual(await queue.result("good"), [1]);
  const error = await queue.result("bad", { timeoutMs: 30_000 }).catch((thrown) => thrown);
  assert.ok(error instanceof JobFailed);
  assert.equal(error.message, "Error: smtp down (attempt 1 of 1)");
  assert.deepEqual([error.name, error.id, error.reason, error.attempts, error.maxAttempts, error.error.message, error.outcome.outcome],
    ["JobFailed", "bad", "exhausted", 1, 1, "smtp down", "failed"]);
  const blind = place(t, "results", { token: "produce", works: false });
  await assert.rejects(blind.result("bad"), { name: "JobFailed", message: "Error: smtp down", attempts: undefined });
});

test("result throws that a job is cancelled, waits still, or is not there", { timeout: 60_000 }, async (t) => {
  const queue = place(t, "no-results", { works: false });
  await queue.enqueueMany([{ id: "gone" }, { id: "slow", delayMs: 3_600_000 }]);
  await queue.cancel("gone");
  await assert.rejects(queue.result("gone"), JobCancelled);
  const pending = await queue.result("slow", { timeoutMs: 0 }).catch((thrown) => thrown);
  assert.ok(pending instanceof JobPending);
  assert.deepEqual([pending.state, pending.message], ["queued", 'the job "slow" is not over: its state is queued']);
  await assert.rejects(queue.result("never"), JobMissing);
});

test("the body of a job has its payload, headers, progress and result", { timeout: 60_000 }, async (t) => {
  const queue = place(t, "bodies");
  await queue.enqueueMany([{ id: "good", kind: "good", payload: { n: 2n ** 70n }, headers: { x: "y" } }, { id: "bytes", kind: "none", payload: Buffer.from([255]) }]);
  await queue.result("good");
  const { payload, result, headers, state } = await queue.body("good");
  assert.deepEqual([payload, result, headers, state], [{ n: 2n ** 70n }, { n: 2n ** 70n }, { x: "y" }, "completed"]);
  assert.deepEqual((await queue.body("bytes")).payload, Buffer.from([255]));
  await assert.rejects(queue.body("nobody"), { kind: "not_found" });
});

test("an error that a handler did not choose leaves its stack, and each one its causes", { timeout: 60_000 }, async (t) => {
  const queue = place(t, "stacks");
  await queue.enqueueMany([{ id: "bad", kind: "bad", maxAttempts: 1 }, { id: "lookup", kind: "lookup" }, { id: "busy", kind: "busy", maxAttempts: 1 }]);
  const details = async (id) => (await queue.wait(id)).error.details;
  assert.match((await details("bad")).stack, /^Error: smtp down\n +at .*results\.test\.js/);
  assert.match((await details("lookup")).stack, /caused by: TypeError: host is not a text\n +at /);
  assert.equal(await details("busy"), undefined);
});

test("the log of a failure has its stack, and a stack is cut", (t) => {
  const lines = [];
  t.mock.method(console, "error", (line) => lines.push(line));
  log("job_failed", { job: "q/a", error: new Error("x".repeat(10_000)), attempt: 1 });
  log("job_failed", { job: "q/a", error: new TypeError("smtp down"), attempt: 1 });
  assert.ok(lines[0].length < 15_000);
  assert.match(lines[1], /^queue: job_failed job="q\/a" attempt=1 error="TypeError: smtp down"\nTypeError: smtp down\n +at /);
});

test("a worker may say how long an attempt waits for the next", { timeout: 60_000 }, async (t) => {
  const queue = place(t, "waits", { retry: (attempt) => attempt * 3_600_000 });
  for (const [kind, waitMs] of [["bad", 3_600_000], ["vague", 3_600_000], ["soon", 60_000]]) {
    await queue.enqueue({ id: kind, kind });
    let job;
    do job = await queue.get(kind); while (job.state !== "failing");
    assert.equal(job.run_at_ms - job.failed_at_ms, waitMs, kind);
  }
});
