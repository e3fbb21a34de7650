// Checked by `npm run types` and never run: what must compile does, and what must not is marked.

import { Complete, Connection, JsonText, Queue, RetryError, Snooze, TerminalError, Worker } from "queue-jobs";
import { eager } from "queue-jobs/testing";
import type { Batch, BatchChange, Job, Outcome, QueueError } from "queue-jobs";

const connection = new Connection({ url: "https://queue.example.org", tokenFile: "/run/token" });
const queue = new Queue("mail", { connection, traceparent: () => undefined });

const { id, seq } = await queue.enqueue({ kind: "email", payload: { to: "ada@example.org", n: 2n ** 64n } });
await queue.enqueueMany([{ id: "a", payload: new JsonText("1.10"), keepCompleted: "forever" }], { atomic: true });
// @ts-expect-error a misspelt option
await queue.enqueue({ dealyMs: 5 });
// @ts-expect-error a queue needs to know where the service is
new Queue("mail", {});

const outcome: Outcome = await queue.wait(id, { seq, timeoutMs: 1000 });
if (outcome.outcome === "failed") console.log(outcome.error?.message);
// @ts-expect-error only a completed job has a result
if (outcome.outcome === "cancelled") console.log(outcome.result);

const batch: Batch = await queue.batch("import-7", { onEnd: { kind: "report", payload: { to: "ada" } }, onFailure: "alarm" });
const members = await batch.addAll([{ id: "row-1", kind: "row" }, { kind: "row" }]);
const sealed: BatchChange = await batch.seal();
console.log(members.map((member) => member.id), sealed, batch.seq, (await queue.batches.named("import-7").status()).waiting);
for (const one of await queue.batches.list()) console.log(one.state === "unreadable" ? one.error : one.added);
// @ts-expect-error a misspelt option
await queue.batches.open("import-7", { onEdn: "report" });
// @ts-expect-error a callback has a kind
await queue.batch("import-7", { onSuccess: { payload: 1 } });

const send = queue.task("email", async ({ to }: { to: string }, job?: Job) => ({ sent: to, attempt: job?.attempt }), { maxAttempts: 5 });
const sent: { sent: string } = await send({ to: "ada" });
await send.enqueue({ to: "ada" }, { id: "a", delayMs: 1000 });
await queue.enqueueMany([send.job({ to: "ada" })]);
const later: { sent: string } = await send.result("a", { timeoutMs: 1000 });
const ended = await send.wait("a");
if (ended.outcome === "completed") console.log(later, ended.result?.sent);
const whole = queue.task("whole", () => new Complete(1));
// @ts-expect-error the type does not say what is in a Complete
console.log((await whole.result("a")).length);
// @ts-expect-error a misspelt option
await queue.wait("a", { timeout: 500 });
const found = await queue.get("a");
console.log(found.max_attempts, found.attempt_log?.[0]?.error?.message, (await queue.body("a")).progress);
// @ts-expect-error no such key
console.log(found.max_atempts);
// @ts-expect-error a payload that the function does not take
await send.enqueue({ too: "ada" });
// @ts-expect-error a misspelt option
await send.enqueue({ to: "ada" }, { dealyMs: 5 });
console.log(sent, (await queue.list({ state: ["failed", "due"] })).jobs[0]?.state, (await queue.counts()).due);
// @ts-expect-error no such state
await queue.list({ state: "fialed" });
await queue.setLimits({ each: { running: 3 }, partitions: { acme: { running: 10 }, old: null } });
await queue.setLimits(await queue.limits());
// @ts-expect-error a misspelt option
await queue.setLimits({ each: { runing: 3 } });
for (const one of (await queue.partitions({ limit: 10 })).partitions) console.log(one.partition, one.leases, one.limit.running);
await new Worker(queue).stop();
new Worker(queue, {}, { retry: (attempt) => attempt * 1000 });
// @ts-expect-error a misspelt option
new Worker(queue, {}, { concurency: 3 });
const jobs = eager(queue, { handlers: { audit: (job) => job.id } });
console.log(jobs.ran[0]?.payload);
jobs.end();

const worker = new Worker(queue, {
  email: async (job: Job) => {
    job.signal.throwIfAborted();
    if (job.attempt > 3) throw new TerminalError("enough", { details: { code: 550 } });
    if (job.attempt > 2) throw new RetryError("later", { delayMs: 1000 });
    if (job.attempt > 1) return new Snooze(1000, { progress: 1 });
    await queue.enqueue({ kind: "next", parent: job });
    job.batch?.add({ id: "row-2", kind: "row" });
    return new Complete({ sent: true }, { then: [{ kind: "next" }] });
  },
}, { concurrency: 4 });
await worker.run().catch((error: QueueError) => console.error(error.kind, error.certainty, error.reason));
await new Worker("mail", new Map([["email", () => 1]]), { url: "http://127.0.0.1:8080" }).stop({ graceMs: 0 });
