import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import * as client from "../src/index.js";
import { Proxy } from "./proxy.js";
import { Server } from "./server.js";

const { Queue, QueueError, Worker } = client;
let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.remove());

test("no token can be seen in errors, in objects or in what a worker tells", async () => {
  const secret = server.tokens.bad;
  const told = [];
  const queue = new Queue("secrets", { url: server.url, token: secret });
  const gone = new Queue("secrets", { url: "http://127.0.0.1:1", token: secret, retryMs: 200 });
  const worker = new Worker(queue, { a: () => 1 }, { signals: false, onEvent: (...all) => told.push(all) });
  const errors = await Promise.all([queue.enqueue({}), gone.enqueue({}), worker.run()].map((call) => call.catch((error) => error)));
  for (const error of errors) assert.ok(error instanceof QueueError);
  const shown = inspect([errors, told, queue, gone, worker], { depth: 20, showHidden: true });
  assert.ok(!shown.includes(secret));
  assert.ok(!(shown + JSON.stringify([errors, queue])).includes(secret.slice(-20)));
});

test("a token that was changed in its file is read again", async () => {
  const path = server.tokenFile(server.tokens.bad);
  const queue = new Queue("rotated", { url: server.url, tokenFile: path });
  await assert.rejects(queue.enqueue({ id: "a" }), { kind: "unauthorized" });
  writeFileSync(path, `${server.tokens.all}\n`);
  assert.equal((await queue.enqueue({ id: "a" })).outcome, "queued");
  writeFileSync(path, "a\nb");
  queue.close();
});

test("a token file that is just being written makes no call invalid", async () => {
  const path = server.tokenFile(server.tokens.bad);
  const queue = new Queue("written", { url: server.url, tokenFile: path });
  await assert.rejects(queue.enqueue({ id: "a" }), { kind: "unauthorized" });
  writeFileSync(path, "");
  await assert.rejects(queue.enqueue({ id: "a" }), { kind: "unauthorized" });
  writeFileSync(path, `${server.tokens.all}\n`);
  assert.equal((await queue.enqueue({ id: "a" })).outcome, "queued");
  queue.close();
});

test("a queue and a worker without an address say what is missing", () => {
  const missing = { name: "QueueError", kind: "invalid", message: /url.*127\.0\.0\.1/ };
  for (const make of [() => new Queue("m", {}), () => new Queue("m"), () => new Worker("m", { a() {} })]) assert.throws(make, missing);
});

test("many waits with one signal, and many workers, make no warning of too many listeners", async (t) => {
  const warnings = [];
  const note = (warning) => warnings.push(warning.message);
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  const queue = new Queue("many", { url: server.url, token: server.tokens.all });
  t.after(() => queue.close());
  const { signal } = new AbortController();
  const ids = Array.from({ length: 30 }, (_, n) => `job-${n}`);
  const handler = (job) => {
    for (let n = 0; n < 20; n += 1) job.signal.addEventListener("abort", () => {});
  };
  const workers = Array.from({ length: 12 }, () => new Worker(queue, { a: handler }, { concurrency: 30, onEvent: () => {} }));
  await queue.enqueueMany(ids.map((id) => ({ id, kind: "a" })));
  const running = workers.map((worker) => worker.run());
  const ends = await Promise.all(ids.map((id) => queue.wait(id, { signal })));
  assert.ok(ends.every(({ outcome }) => outcome === "completed"));
  await Promise.all(workers.map((worker) => worker.stop()));
  await Promise.all(running);
  assert.deepEqual(warnings, []);
  assert.equal(process.listenerCount("SIGTERM"), 0);
});

test("a token goes to another machine over https only", () => {
  const options = { url: "http://queue.example.org", token: "qk_a_b" };
  assert.throws(() => new Queue("a", options), { kind: "invalid" });
  new Queue("a", { ...options, plaintext: true });
  new Queue("a", { ...options, url: "https://queue.example.org" });
  for (const url of ["http://127.0.0.1.example.org", "http://localhost.example.org", "http://127.0.0.1@example.org"]) {
    assert.throws(() => new Queue("a", { ...options, url }), { kind: "invalid" }, url);
  }
  assert.throws(() => new Queue("a", { ...options, url: "http://localhost", token: "a\r\nb: c" }), { kind: "invalid" });
});

test("jobs with misspelt fields and names that no path can hold are refused before they are sent", async () => {
  const queue = new Queue("a", { url: "http://127.0.0.1:1" });
  await assert.rejects(queue.enqueue({ dealyMs: 5 }), { kind: "invalid", certainty: "not_applied" });
  await assert.rejects(queue.enqueue({ payload: NaN }), { kind: "invalid", certainty: "not_applied" });
  for (const name of ["..", ".", "", "\ud800"]) {
    assert.throws(() => new Queue(name, { url: "http://127.0.0.1:1" }), { kind: "invalid" });
  }
});

test("a service that cannot be reached is unavailable, and it is certain that nothing happened", async () => {
  const queue = new Queue("a", { url: "http://127.0.0.1:1", retryMs: 0 });
  const message = "no server can be reached at http://127.0.0.1:1 (ECONNREFUSED); is it running?";
  await assert.rejects(queue.enqueue({}), { kind: "unavailable", certainty: "not_applied", message });
  const socket = new Queue("a", { url: "unix:/nowhere/queue.sock", retryMs: 0 });
  await assert.rejects(socket.enqueue({}), { message: /at unix:\/nowhere\/queue.sock \(ENOENT\)/ });
});

test("an earlier sending without an answer keeps the whole call uncertain", async (t) => {
  const proxy = new Proxy(() => server.port);
  t.after(() => proxy.close());
  const queue = new Queue("uncertain", { url: await proxy.listen(), token: server.tokens.all });
  proxy.fault({ on: "/jobs", do: "drop_answer" });
  const body = { kind: "forbidden", certainty: "not_applied", title: "", detail: "" };
  proxy.fault({ on: "/jobs", do: "answer", status: 403, body });
  await assert.rejects(queue.enqueue({ id: "a" }), { kind: "forbidden", certainty: "unknown" });
  proxy.fault({ on: "/jobs", do: "drop_answer" });
  const { outcome, isResent } = await queue.enqueue({ id: "b" });
  assert.deepEqual([outcome, isResent], ["duplicate", true]);
  queue.close();
});

test("an answer that is not of the service is an error and never an outcome", async (t) => {
  const answers = ["200 OK\r\ncontent-length: 5\r\n\r\n<html", "302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n",
    "502 Bad Gateway\r\ncontent-length: 3\r\n\r\n{\"k", "200 OK\r\ncontent-length: 50\r\n\r\n{}", "200 OK\r\ncontent-length: 4\r\n\r\nnull",
    "200 OK\r\ncontent-length: 2\r\n\r\n{}"];
  const kinds = [];
  for (const answer of answers) {
    const listener = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(`HTTP/1.1 ${answer}`));
    });
    await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
    t.after(() => listener.close());
    const queue = new Queue("a", { url: `http://127.0.0.1:${listener.address().port}`, retryMs: 0 });
    const error = await queue.enqueue({}).catch((thrown) => thrown);
    kinds.push([error.kind, error.certainty]);
  }
  assert.deepEqual(kinds, [["unavailable", "unknown"], ["unavailable", "unknown"], ["unavailable", "unknown"], ["unavailable", "unknown"],
    ["unavailable", "unknown"], ["unavailable", "unknown"]]);
});

test("an aborted call ends with the reason of its signal", async () => {
  const queue = new Queue("aborted", { url: server.url, token: server.tokens.all });
  await queue.enqueue({ id: "a" });
  const reason = new Error("enough");
  const abort = new AbortController();
  const waiting = queue.wait("a", { signal: abort.signal });
  abort.abort(reason);
  await assert.rejects(waiting, reason);
  queue.close();
});

test("the types name what the module has", () => {
  const read = (name) => readFileSync(new URL(`../src/${name}.d.ts`, import.meta.url), "utf8");
  const text = ["index", "batches", "results", "schedules", "values", "worker"].map(read).join("");
  const names = [...text.matchAll(/^export class ([A-Za-z]+)/gm)].map(([, name]) => name).filter((name) => name !== "Job");
  assert.deepEqual(names.sort(), Object.keys(client).sort());
});
