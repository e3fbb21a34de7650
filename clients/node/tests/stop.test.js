/** How often a worker runs, and when it ends. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Queue, Worker } from "../src/index.js";
import { Server } from "./server.js";

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.remove());

const quiet = { signals: false, onEvent: () => {} };
/** A worker that does not end fails its test. */
const LIMIT = { timeout: 60_000 };

function place(t, name) {
  const queue = new Queue(name, { url: server.url, token: server.tokens.all });
  t.after(() => queue.close());
  return queue;
}

test("a worker runs once, and says so", LIMIT, async (t) => {
  const queue = place(t, "once");
  const once = { name: "QueueError", kind: "invalid", message: /a worker runs once/ };
  const worker = new Worker(queue, { a: () => 1 }, quiet);
  const running = worker.run();
  await assert.rejects(worker.run(), once);
  await worker.stop();
  await running;
  await assert.rejects(worker.run(), once);
  const stopped = new Worker(queue, { a: () => 1 }, quiet);
  await stopped.stop();
  await assert.rejects(stopped.run(), { message: /was stopped/ });
});

test("a later call of stop, as the worker makes one at its end, does not lengthen the grace", LIMIT, async (t) => {
  const queue = place(t, "shortened");
  let begin;
  const begun = new Promise((resolve) => { begin = resolve; });
  const stuck = () => { begin(); return new Promise(() => {}); };
  const worker = new Worker(queue, { stuck }, { ...quiet, graceMs: 86_400_000, abortGraceMs: 0 });
  await queue.enqueue({ kind: "stuck" });
  const running = worker.run();
  await begun;
  void worker.stop({ graceMs: 0 });
  void worker.stop();
  await running;
});
