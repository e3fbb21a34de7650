import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue, RetryError, Worker } from "../src/index.js";
import { parse } from "../src/json.js";
import { Proxy } from "./proxy.js";
import { Server } from "./server.js";

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.remove());

/** A queue of its own through a proxy of its own. */
async function place(t, name, options = {}) {
  const proxy = new Proxy(() => server.port);
  const queue = new Queue(name, { url: await proxy.listen(), token: server.tokens.all, ...options });
  t.after(() => {
    queue.close();
    proxy.close();
  });
  const calls = (end) => proxy.requests.filter(({ path }) => path.endsWith(end)).map(({ body }) => parse(body));
  const shown = async (id) => {
    const { body } = await queue.connection.call("GET", `/v1/queues/${name}/jobs/${id}`);
    return body;
  };
  return { queue, proxy, calls, shown };
}

const quiet = { signals: false, onEvent: () => {} };
/** A worker that stands still fails its test. */
const LIMIT = { timeout: 120_000 };

test("jobs that end together are settled in one call, and one alone without waiting", LIMIT, async (t) => {
  const { queue, calls } = await place(t, "batches");
  let all;
  const arrived = new Promise((resolve) => { all = resolve; });
  let started = 0;
  const worker = new Worker(queue, { a: () => { if (++started === 20) all(); return arrived; } }, { ...quiet, concurrency: 20 });
  const ids = Array.from({ length: 20 }, (_, at) => `j${at}`);
  await queue.enqueueMany(ids.map((id) => ({ id, kind: "a" })));
  const running = worker.run();
  for (const id of ids) assert.equal((await queue.wait(id)).outcome, "completed");
  assert.deepEqual(calls("/settle").map(({ items }) => items.length), [20]);
  await worker.stop();
  await running;
});

test("all leases are extended in one call, with the progress of each", LIMIT, async (t) => {
  const { queue, calls, shown } = await place(t, "extends");
  let end;
  const ended = new Promise((resolve) => { end = resolve; });
  const worker = new Worker(queue, { a: (job) => { job.setProgress({ at: job.id }); return ended; } }, { ...quiet, leaseMs: 1000 });
  await queue.enqueueMany([{ id: "a", kind: "a" }, { id: "b", kind: "a" }]);
  void worker.run();
  const both = () => calls("/extend").find(({ items }) => items.length === 2);
  while (both() === undefined) await sleep(10);
  assert.deepEqual(both().items.map(({ progress }) => progress).sort((a, b) => (a.at < b.at ? -1 : 1)), [{ at: "a" }, { at: "b" }]);
  const before = (await shown("a")).lease_expires_at_ms;
  while ((await shown("a")).lease_expires_at_ms === before) await sleep(10);
  end("x");
  await queue.wait("a");
  await worker.stop();
  assert.equal((await shown("a")).stalls, 0);
});

test("a kind that is the name of something every object has is unknown", LIMIT, async (t) => {
  const { queue } = await place(t, "kinds");
  const worker = new Worker(queue, { a: () => 1 }, quiet);
  await queue.enqueueMany(["constructor", "__proto__", "toString"].map((kind) => ({ id: kind, kind, maxAttempts: 1 })));
  void worker.run();
  for (const id of ["constructor", "__proto__", "toString"]) {
    const { outcome, error } = await queue.wait(id);
    assert.deepEqual([outcome, error.name], ["failed", "UnknownKind"]);
  }
  await worker.stop();
});

test("a handler over its time limit is charged, also if it never ends", LIMIT, async (t) => {
  const { queue } = await place(t, "limits");
  const handlers = {
    deaf: () => new Promise(() => {}),
    obedient: (job) => sleep(60_000, undefined, { signal: job.signal }),
  };
  const worker = new Worker(queue, handlers, { ...quiet, abortGraceMs: 50 });
  const jobs = Object.keys(handlers).map((kind) => ({ id: kind, kind, timeLimitMs: 50, maxAttempts: 1 }));
  await queue.enqueueMany(jobs);
  void worker.run();
  for (const { id } of jobs) {
    const { outcome, reason, error } = await queue.wait(id);
    assert.deepEqual([outcome, reason, error.name], ["failed", "exhausted", "TimeLimit"]);
  }
  await worker.stop();
});

test("a result that cannot be stored fails its job for good and costs no other job its settle", LIMIT, async (t) => {
  const { queue } = await place(t, "unstorable");
  const deep = (levels) => (levels === 0 ? 1 : [deep(levels - 1)]);
  const handlers = {
    good: () => 1,
    nan: () => NaN,
    deep: () => deep(100),
    large: () => "x".repeat(1_100_000),
    delay: () => { throw new RetryError("x", { delayMs: 1.5 }); },
  };
  await queue.enqueueMany(Object.keys(handlers).map((kind) => ({ id: kind, kind })));
  const worker = new Worker(queue, handlers, quiet);
  void worker.run();
  assert.equal((await queue.wait("good")).outcome, "completed");
  for (const id of ["nan", "deep", "large"]) assert.equal((await queue.wait(id)).reason, "terminal", id);
  await worker.stop();
});

test("a stop while a claim waits leaves no job leased", LIMIT, async (t) => {
  const { queue, shown } = await place(t, "stops");
  for (let round = 0; round < 20; round += 1) {
    const worker = new Worker(queue, { a: () => 1 }, { ...quiet, announce: false });
    const running = worker.run();
    await new Promise((resolve) => setImmediate(resolve));
    const id = `r${round}`;
    const sent = queue.enqueue({ id, kind: "a" });
    await sleep(round % 5);
    await worker.stop();
    await running;
    await sent;
    // A claim may be granted behind its cut; the server gives the job back as soon as it sees nobody there.
    let now;
    do now = await shown(id); while (now.state === "processing");
    assert.ok(["queued", "completed"].includes(now.state), now.state);
    assert.deepEqual([now.stalls, now.failures], [0, 0]);
  }
});

test("work goes on when the server was away", LIMIT, async (t) => {
  const { queue, proxy } = await place(t, "away");
  proxy.fault({ on: "/claim", do: "refuse", times: 2 });
  proxy.fault({ on: "/claim", do: "drop_answer" });
  proxy.fault({ on: "/settle", do: "drop_answer", times: 2 });
  let runs = 0;
  const worker = new Worker(queue, { a: () => { runs += 1; return runs; } }, quiet);
  await queue.enqueue({ id: "a", kind: "a" });
  void worker.run();
  assert.deepEqual([(await queue.wait("a")).result, runs], [1, 1]);
  await worker.stop();
});

for (const outcome of ["lease_lost", "missing"]) {
  test(`a settle that comes too late is told as ${outcome}`, LIMIT, async (t) => {
    const { queue, proxy, shown } = await place(t, `late-${outcome}`);
    const direct = new Queue(queue.name, { url: server.url, token: server.tokens.all });
    t.after(() => direct.close());
    const body = { kind: "unavailable", status: 503, certainty: "not_applied", detail: "the store cannot answer now" };
    for (const on of ["/extend", "/settle"]) proxy.fault({ on, do: "answer", status: 503, times: Infinity, body });
    let tell;
    const told = new Promise((resolve) => { tell = resolve; });
    const onEvent = (event, details) => { if (event === "not_settled") tell(details); };
    let end;
    const ended = new Promise((resolve) => { end = resolve; });
    // The end of the lease by its own clock asks the handler to stop; this one goes on.
    const worker = new Worker(queue, { a: () => ended }, { ...quiet, onEvent, leaseMs: 1000, concurrency: 1, abortGraceMs: 86_400_000 });
    await queue.enqueue({ id: "a", kind: "a", keepCompleted: "nothing" });
    void worker.run();
    while ((await shown("a")).state !== "processing") await sleep(10);
    const claim = JSON.stringify({ worker: "thief", claim_id: "1".padStart(32, "0"), wait_ms: 20_000 });
    const { body: { jobs: [stolen] } } = await direct.connection.call("POST", `/v1/queues/${queue.name}/claim`, claim, { waitMs: 20_000 });
    if (outcome === "missing") {
      const settle = JSON.stringify({ items: [{ receipt: stolen.receipt, complete: {} }] });
      assert.equal((await direct.connection.call("POST", "/v1/settle", settle)).body.items[0].outcome, "done");
    }
    end();
    // No extension gets through, which would hear of the lost lease before the settle.
    proxy.fault({ on: "/settle", do: "none" });
    const details = await told;
    assert.deepEqual([details.job.id, details.outcome], ["a", outcome]);
    await worker.stop({ graceMs: 0 });
  });
}

test("a handler does not start on a lease that is over, as when another one blocked the loop", LIMIT, async (t) => {
  const { queue } = await place(t, "blocked");
  const starts = [];
  const handler = (job) => {
    starts.push(`${job.id}${job.epoch}`);
    const until = performance.now() + 1_500;
    while (starts.length === 1 && performance.now() < until);
  };
  const worker = new Worker(queue, { a: handler }, { ...quiet, leaseMs: 1_000, concurrency: 2 });
  await queue.enqueueMany([{ id: "a", kind: "a" }, { id: "b", kind: "a" }]);
  void worker.run();
  assert.equal((await queue.wait("a")).outcome, "completed");
  assert.equal((await queue.wait("b")).outcome, "completed");
  assert.equal(starts[0], "a1");
  assert.ok(!starts.includes("b1"), starts.join());
  await worker.stop();
});

test("a worker whose token is refused ends and says so", LIMIT, async (t) => {
  const { queue } = await place(t, "refused");
  const worker = new Worker("refused", { a: () => 1 }, { ...quiet, url: server.url, token: server.tokens.produce });
  await assert.rejects(worker.run(), { name: "QueueError", kind: "forbidden" });
  assert.equal((await queue.wait("nobody")).outcome, "unknown");
});

test("whatever becomes of requests and answers, every job runs once and is charged nothing", LIMIT, async (t) => {
  const seed = Number(process.env.QUEUE_SEED ?? Date.now() % 2 ** 31);
  t.diagnostic(`QUEUE_SEED=${seed}`);
  const { queue, proxy, calls } = await place(t, "chance");
  const draw = generator(seed);
  proxy.chance = () => [{ do: "refuse" }, { do: "drop_answer" }, undefined, undefined, undefined][Math.floor(draw() * 5)];
  const runs = new Map();
  const handler = async (job) => {
    runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
    await sleep(draw() * 5);
    return job.payload;
  };
  const start = () => new Worker(queue, { a: handler }, { ...quiet, concurrency: 3 });
  const workers = Array.from({ length: 3 }, start);
  // A test that fails before they have ended would keep the program from its end.
  t.after(() => workers.forEach((worker) => void worker.stop()));
  const ended = workers.map((worker) => worker.run());
  const jobs = await queue.enqueueMany(Array.from({ length: 120 }, (_, n) => ({ kind: "a", payload: n })));
  await workers[0].stop();
  assert.deepEqual([...new Set(jobs.map(({ outcome }) => outcome))], ["queued"]);
  const ends = await Promise.all(jobs.map(({ id, seq }) => queue.wait(id, { seq })));
  assert.deepEqual(ends.map(({ result }) => result), [...jobs.keys()]);
  await Promise.all(workers.map((worker) => worker.stop()));
  await Promise.all(ended);
  proxy.chance = () => undefined;
  const { body } = await queue.connection.call("POST", "/v1/queues/chance/jobs:get", JSON.stringify({ ids: jobs.map(({ id }) => id) }));
  for (const { failures, stalls } of body.jobs) assert.deepEqual([failures, stalls], [0, 0]);
  assert.deepEqual([...new Set(runs.values())], [1]);
  assert.ok(calls("/claim").some(({ repeat }) => repeat));
});

test("a wait whose answer is lost at its end is asked again", LIMIT, async (t) => {
  const { queue, proxy } = await place(t, "late", { retryMs: 300 });
  const { id } = await queue.enqueue({ kind: "a" });
  proxy.fault({ on: "/jobs:wait", do: "drop_answer" });
  const waiting = queue.wait(id);
  await sleep(600);
  const worker = new Worker(queue, { a: () => 1 }, quiet);
  const running = worker.run();
  assert.equal((await waiting).outcome, "completed");
  await worker.stop();
  await running;
});

/** Park and Miller's generator, which a seed repeats. */
function generator(seed) {
  let state = (seed % 2147483646) + 1;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

test("a server with another key is told by a failed extension and a refused settle", LIMIT, async (t) => {
  const { queue, proxy } = await place(t, "keys");
  const detail = "receipt: the server has another key; --key-file";
  const problem = { kind: "invalid", status: 400, certainty: "not_applied", reason: "other_key", detail };
  const body_text = JSON.stringify({ now_ms: 1, drain: false, items: [{ outcome: "refused", problem }] });
  const answer = { status: 200, content_type: "application/json", body_text };
  for (const on of ["/extend", "/settle"]) proxy.fault({ on, do: "answer", answer });
  const told = [];
  let extended;
  let settled;
  const wasExtended = new Promise((resolve) => { extended = resolve; });
  const wasSettled = new Promise((resolve) => { settled = resolve; });
  const onEvent = (event, details) => {
    told.push({ event, details });
    if (event.startsWith("extend")) extended();
    if (event === "not_settled") settled();
  };
  const worker = new Worker(queue, { slow: () => wasExtended }, { ...quiet, onEvent, concurrency: 1, leaseMs: 9_000 });
  await queue.enqueue({ id: "a", kind: "slow" });
  const running = worker.run();
  await wasSettled;
  await worker.stop();
  await running;
  const seen = told.filter(({ event }) => event !== "settled");
  const names = ["started", "extend_failed", "settle_refused", "not_settled", "ended"];
  assert.deepEqual(seen.map(({ event }) => event), names);
  assert.deepEqual(seen[0].details, { queue: queue.name, concurrency: 1 });
  assert.equal(seen[4].details.not_settled, 1);
  assert.match(seen[2].details.error.message, /--key-file/);
});
