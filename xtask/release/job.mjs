// Enqueues a job, works on it and waits for its result: the proof of a package that is installed.

import assert from "node:assert/strict";
import { Queue, Worker } from "queue-jobs";

const queue = new Queue("mail", { url: process.env.QUEUE_URL });
const worker = new Worker(queue, { email: async (job) => ({ sent: job.payload.to }) });
const working = worker.run();
const { id, seq } = await queue.enqueue({ kind: "email", payload: { to: "ada@example.org" }, awaited: true });
const { result } = await queue.wait(id, { seq });
await worker.stop();
await working;
assert.deepEqual(result, { sent: "ada@example.org" });
