/** Names and ranges of options: what is misspelt or cannot be is refused before anything is sent. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Complete, Connection, Queue, RetryError, Snooze, TerminalError, Worker } from "../src/index.js";
import { eager } from "../src/testing.js";

const url = "http://127.0.0.1:1";
const queue = new Queue("q", { url });
const handlers = { a() {} };

const invalid = (message) => ({ name: "QueueError", kind: "invalid", certainty: "not_applied", message });

test("each call that takes options refuses one that it does not have, and names those it has", async () => {
  const wrong = { sgnal: 1 };
  const calls = [
    () => new Connection({ url, tokenfile: "a" }), () => new Queue("q", { url, tokenfile: "a" }),
    () => new Queue("q", { connection: queue.connection, url }), () => new Worker(queue, handlers, { concurency: 3 }),
    () => new Worker("q", handlers, { url, concurency: 3 }), () => new Worker(queue, handlers, { url }),
    () => new Worker(queue, handlers).stop(wrong), () => new RetryError("a", { delay: 1 }), () => new TerminalError("a", { delayMs: 1 }),
    () => new Snooze(1, wrong), () => new Complete(1, wrong), () => eager(queue, wrong),
    () => queue.enqueue({}, wrong), () => queue.enqueueMany([], wrong), () => queue.wait("a", { timeout: 500 }), () => queue.wait("a", 500),
    () => queue.result("a", { timeout: 500 }),
    () => queue.cancel("a", wrong), () => queue.redrive("a", wrong), () => queue.pause(wrong), () => queue.resume(wrong),
    () => queue.limits(wrong), () => queue.setLimits({ each: { runing: 1 } }), () => queue.setLimits({ eech: null }),
    () => queue.partitions(wrong), () => queue.get("a", wrong), () => queue.body("a", wrong), () => queue.counts(wrong),
    () => queue.list({ knd: "a" }), () => queue.failures(wrong), () => queue.batch("b", { onEdn: "a" }), () => queue.batch("b", {}, wrong),
    () => queue.batches.named("b").addAll([], wrong), () => queue.schedules.put("s", { crn: "" }), () => queue.schedules.next("s", wrong),
    () => queue.schedules.preview({ crn: "" }), () => queue.schedules.preview({}, wrong), () => queue.schedules.run("s", wrong),
  ];
  for (const call of calls) await assert.rejects(async () => call(), invalid(/ only | are an object with /), String(call));
  await assert.rejects(queue.wait("a", { timeout: 500 }), invalid('wait has no option "timeout", only seq, timeoutMs, signal'));
});

test("what other libraries take in the places of a connection, handlers and jobs is answered with what to give", async () => {
  assert.throws(() => new Queue("paint", { connection: { host: "127.0.0.1" } }), invalid(/^connection: .* the url itself/));
  assert.throws(() => new Worker("paint", handlers, { connection: { host: "127.0.0.1" } }), invalid(/^connection: /));
  for (const where of ["paint", queue]) {
    assert.throws(() => new Worker(where, async () => {}), invalid("handlers are an object by kind: { email: async (job) => .. }"));
  }
  await assert.rejects(queue.enqueueMany({ kind: "a" }), invalid(/^jobs: a list/));
  await assert.rejects(queue.enqueue("email"), invalid(/a job is an object/));
});

test("numbers that a job cannot have are refused under the names of this client", async () => {
  for (const [job, message] of [
    [{ maxAttempts: 0 }, 'maxAttempts: a whole number from 1 to 4294967295 or "unlimited", and not 0'],
    [{ maxAttempts: "3" }, 'maxAttempts: a whole number from 1 to 4294967295 or "unlimited", and not "3"'],
    [{ maxStalls: 1.5 }, /^maxStalls: /], [{ delayMs: -1 }, "delayMs: a whole number from 0 on, and not -1"],
    [{ expiresInMs: "1h" }, /^expiresInMs: /], [{ timeLimitMs: 0.5 }, /^timeLimitMs: /], [{ maxWaitMs: NaN }, /^maxWaitMs: /],
    [{ priority: 32_768 }, "priority: a whole number from -32768 to 32767, and not 32768"],
    [{ keepCompleted: "never" }, /^keepCompleted: .* or "nothing", and not "never"$/],
  ]) await assert.rejects(queue.enqueue(job), invalid(message));
  await assert.rejects(queue.enqueueMany([{}, { priority: 0.5 }]), invalid(/^jobs\[1\]\.priority: /));
  await assert.rejects(queue.setLimits({ each: { running: -1 } }), invalid(/^each\.running: /));
  await assert.rejects(queue.setLimits({ each: { weight: "2" } }), invalid("each.weight: a whole number from 1 to 1000, and not \"2\""));
  await assert.rejects(queue.wait("a", { timeoutMs: "5" }), invalid(/^timeoutMs: /));
});
