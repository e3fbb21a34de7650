/** Tasks: functions that are called here, or enqueued and called by a worker. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Queue, Worker } from "../src/index.js";
import { Server } from "./server.js";

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.remove());

test("a task stays a function, and a worker of its queue runs what is enqueued", async (t) => {
  const queue = new Queue("tasks", { url: server.url, token: server.tokens.all });
  t.after(() => queue.close());
  const add = queue.task("add", ({ a, b = 1 }, job) => [a + b, job?.id], { tags: ["sum"] });
  assert.deepEqual(add({ a: 1 }), [2, undefined]);
  assert.equal(add.kind, "add");
  assert.deepEqual(add.job({ a: 1 }, { id: "x" }), { kind: "add", payload: { a: 1 }, id: "x", tags: ["sum"] });
  const worker = new Worker(queue, { other: () => "other" }, { signals: false, onEvent: () => {} });
  const running = worker.run();
  const { id, seq } = await add.enqueue({ a: 2 }, { id: "x", delayMs: 1 });
  assert.deepEqual((await queue.wait(id, { seq })).result, [3, "x"]);
  assert.deepEqual([(await add.wait(id, { seq })).result, await add.result(id)], [[3, "x"], [3, "x"]]);
  assert.deepEqual((await queue.get("x")).tags, ["sum"]);
  assert.equal((await queue.wait((await queue.enqueue({ kind: "other" })).id)).result, "other");
  await worker.stop();
  await running;
});

test("what cannot be a task, and a worker without any, is refused", () => {
  const queue = new Queue("none", { url: "http://127.0.0.1:1" });
  assert.throws(() => new Worker(queue), { kind: "invalid", message: /tasks/ });
  assert.throws(() => queue.task(() => {}), { kind: "invalid" });
  assert.throws(() => queue.task("a\ud800", () => {}), { kind: "invalid" });
  queue.task("a", () => {});
  assert.throws(() => queue.task("a", () => {}), { kind: "invalid", message: /already/ });
});
