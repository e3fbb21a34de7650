/** The eager mode: jobs run as they are enqueued, without a service. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Complete, Queue, RetryError, Snooze, TerminalError } from "../src/index.js";
import { eager } from "../src/testing.js";

function place(t, options) {
  const queue = new Queue("mail", { url: "http://127.0.0.1:1", retryMs: 0 });
  const jobs = eager(queue, options);
  t.after(() => jobs.end());
  return { queue, jobs };
}

test("an enqueue runs its job, a wait has the outcome, and the end gives the service back", async (t) => {
  const { queue, jobs } = place(t);
  const send = queue.task("email", async ({ to, n }, job) => [to, n, job.tags], { tags: ["vip"] });
  const { id, seq, outcome } = await send.enqueue({ to: "ada", n: 2n ** 70n }, { id: "a", delayMs: 3_600_000 });
  assert.deepEqual([outcome, jobs.ran[0].id, jobs.ran[0].payload], ["queued", "a", { to: "ada", n: 2n ** 70n }]);
  const result = ["ada", 2n ** 70n, ["vip"]];
  assert.deepEqual((await queue.wait(id, { seq })).result, result);
  const again = await send.enqueue({ to: "bob" }, { id: "a" });
  assert.deepEqual([again.outcome, again.result, jobs.ran.length], ["completed", result, 1]);
  assert.equal((await queue.wait("other")).outcome, "unknown");
  assert.equal((await queue.cancel("a")).outcome, "unchanged");
  jobs.end();
  await assert.rejects(send.enqueue({ to: "ada" }), { kind: "unavailable" });
});

test("what a handler throws comes out of the enqueue, or fails its job", async (t) => {
  const handlers = {
    never: () => { throw new TerminalError("no such mailbox", { name: "Smtp", details: [1] }); },
    later: () => { throw new RetryError("busy"); },
    nan: () => NaN,
  };
  const { queue } = place(t, { handlers });
  await assert.rejects(queue.enqueue({ kind: "never" }), TerminalError);
  await assert.rejects(queue.enqueue({ kind: "nan" }), { kind: "invalid", message: "result: JSON has no NaN" });
  await assert.rejects(queue.enqueue({ kind: "none" }), { kind: "invalid", message: /handlers/ });
  const calm = place(t, { handlers, raises: false }).queue;
  for (const [kind, reason] of [["never", "terminal"], ["later", "exhausted"], ["nan", "terminal"]]) {
    const { id } = await calm.enqueue({ kind });
    assert.equal((await calm.wait(id)).reason, reason);
  }
});

test("jobs that follow, jobs of handlers and bytes run too", async (t) => {
  const handlers = {
    first: async (job) => {
      await queue.enqueue({ kind: "third", payload: Buffer.from([0]) });
      return new Complete(Buffer.from([1]), { contentType: "image/png", then: [{ kind: "second", payload: job.payload }] });
    },
    second: () => {},
    third: (job) => job.payload,
  };
  const { queue, jobs } = place(t, { handlers });
  const [{ id }] = await queue.enqueueMany([{ kind: "first", payload: 7 }, { kind: "second" }]);
  const { result, contentType } = await queue.wait(id);
  assert.deepEqual([result, contentType], [Buffer.from([1]), "image/png"]);
  assert.deepEqual(jobs.ran.map(({ kind, payload }) => [kind, payload]), [["first", 7], ["third", Buffer.from([0])], ["second", 7], ["second", null]]);
});

test("a job that snoozes waits and can be cancelled, and other calls are refused", async (t) => {
  const { queue } = place(t, { handlers: { a: () => new Snooze(60_000) } });
  await queue.enqueue({ id: "a", kind: "a" });
  assert.deepEqual(await queue.wait("a", { timeoutMs: 0 }), { id: "a", seq: 1, outcome: "pending", state: "queued" });
  assert.equal((await queue.cancel("a")).outcome, "done");
  assert.equal((await queue.wait("a")).outcome, "cancelled");
  for (const call of [() => queue.counts(), () => queue.batch("b"), () => queue.schedules.list(), () => queue.get("a"),
    () => queue.batches.named("b").add({ kind: "a" })]) {
    await assert.rejects(call(), { kind: "unsupported" });
  }
});
