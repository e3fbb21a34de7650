/** `queue-jobs work`, run from an empty directory as a user would. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Queue } from "../src/index.js";
import { emptyDirectory } from "./directory.js";
import { Server } from "./server.js";

const TASKS = `
import { Queue } from "queue-jobs";
const { QUEUE_URL: url, QUEUE_TOKEN_FILE: tokenFile } = process.env;
export const mail = new Queue("mail", { url, tokenFile });
export const images = new Queue("images", { url, tokenFile });
export const send = mail.task("send", ({ to }) => [to, process.pid]);
images.task("crash", () => process.exit(9));
images.task("where", () => process.pid);
`;
const LIMIT = { timeout: 120_000 };

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.remove());

/** Starts the command; `ended` resolves to the status and what it wrote to standard error. */
function started(t, words, { token = server.tokens.all, files = { "tasks.mjs": TASKS }, isByNpx = false } = {}) {
  const directory = emptyDirectory(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const program = join(directory, "node_modules", "queue-jobs", "src", "cli.js");
  const env = { PATH: process.env.PATH, QUEUE_URL: server.url, QUEUE_TOKEN_FILE: server.tokenFile(token) };
  const options = { cwd: directory, stdio: ["ignore", "ignore", "pipe"] };
  const child = isByNpx
    // As npx does: a shell, which here stays although it could become the program.
    ? spawn("sh", ["-c", '"$0" "$@"; true', process.execPath, program, ...words], { ...options, env: { ...env, npm_command: "exec" } })
    : spawn(process.execPath, [program, ...words], { ...options, env });
  t.after(() => child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (text) => { said += text; });
  const ended = new Promise((resolve) => child.on("close", (code) => resolve({ code, said })));
  const until = (pattern) => new Promise((resolve) => {
    const look = () => pattern.test(said) && resolve();
    child.stderr.on("data", look);
    look();
  });
  return { child, ended, until };
}

async function result(t, name, job) {
  const queue = new Queue(name, { url: server.url, token: server.tokens.all });
  t.after(() => queue.close());
  const { id, seq } = await queue.enqueue(job);
  return (await queue.wait(id, { seq })).result;
}

test("all queues of a module are worked in one process", LIMIT, async (t) => {
  const { child, ended } = started(t, ["work", "tasks.mjs"]);
  assert.deepEqual(await result(t, "mail", { kind: "send", payload: { to: "ada" } }), ["ada", child.pid]);
  assert.equal(await result(t, "images", { kind: "where" }), child.pid);
  child.kill("SIGTERM");
  const { code, said } = await ended;
  assert.deepEqual([code, said.match(/queue: started/g).length], [0, 2]);
});

test("processes that crash are replaced, and all end on SIGTERM", LIMIT, async (t) => {
  const { child, ended, until } = started(t, ["work", "./tasks.mjs:images", "./tasks.mjs:mail", "--processes", "2", "--concurrency", "1"]);
  const images = new Queue("images", { url: server.url, token: server.tokens.all });
  t.after(() => images.close());
  await images.enqueueMany([1, 2].map((n) => ({ id: `crash-${n}`, kind: "crash", maxStalls: 1 })));
  await until(/(ended with 9 and is replaced[^]*){2}/);
  assert.notEqual(await result(t, "images", { kind: "where" }), child.pid);
  child.kill("SIGTERM");
  assert.equal((await ended).code, 0);
});

const STUCK = `
import { Queue } from "queue-jobs";
const { QUEUE_URL: url, QUEUE_TOKEN_FILE: tokenFile } = process.env;
export const stuck = new Queue("stuck", { url, tokenFile });
stuck.task("for ever", () => new Promise(() => { setInterval(() => {}, 1_000); console.error("handler runs"); }));
`;

for (const processes of ["1", "2"]) {
  test(`a second signal ends ${processes} process(es) whose handler goes on for ever`, LIMIT, async (t) => {
    const { child, ended, until } = started(t, ["work", "stuck.mjs", "--processes", processes], { files: { "stuck.mjs": STUCK } });
    const queue = new Queue("stuck", { url: server.url, token: server.tokens.all });
    t.after(() => queue.close());
    const { id } = await queue.enqueue({ kind: "for ever" });
    await until(/handler runs/);
    await until(new RegExp(`(queue: started[^]*){${processes}}`));
    child.kill("SIGTERM");
    await until(new RegExp(`(queue: stopping[^]*){${processes}}`));
    child.kill("SIGTERM");
    assert.equal((await ended).code, 130);
    // A claim may be granted behind its cut; the server gives the job back as soon as it sees nobody there.
    let job;
    do job = await queue.get(id); while (job.state === "processing");
    assert.deepEqual([job.state, job.stalls], ["queued", 0]);
    await queue.cancel(id);
  });
}

test("the process ends when its worker has given up a handler that goes on for ever", LIMIT, async (t) => {
  const more = `
import { Worker } from "queue-jobs";
export const worker = new Worker(stuck, {}, { graceMs: 0, abortGraceMs: 0 });`;
  const { child, ended, until } = started(t, ["work", "stuck.mjs:worker"], { files: { "stuck.mjs": STUCK + more } });
  const queue = new Queue("stuck", { url: server.url, token: server.tokens.all });
  t.after(() => queue.close());
  const { id } = await queue.enqueue({ kind: "for ever" });
  await until(/handler runs/);
  child.kill("SIGTERM");
  const { code, said } = await ended;
  assert.equal(code, 0);
  assert.match(said, /handler_abandoned/);
  await queue.cancel(id);
});

test("what npx started ends when the shell between them is killed", LIMIT, async (t) => {
  const { child, ended, until } = started(t, ["work", "tasks.mjs:mail"], { isByNpx: true });
  await until(/queue: started/);
  child.kill("SIGTERM");
  const { said } = await ended; // When nothing has standard error any more.
  assert.match(said, /has ended, so it stops\nqueue: ended/);
});

test("no process outlives the one that started it", LIMIT, async (t) => {
  const { child, ended } = started(t, ["work", "tasks.mjs", "--processes", "2"]);
  assert.notEqual(await result(t, "images", { kind: "where" }), child.pid);
  child.kill("SIGKILL");
  await ended; // When none of them has standard error any more.
});

test("a token that is refused ends all processes", LIMIT, async (t) => {
  const { ended } = started(t, ["work", "tasks.mjs", "--processes", "2"], { token: server.tokens.produce });
  const { code, said } = await ended;
  assert.equal(code, 1, said);
  assert.match(said, /forbidden|not permitted|scope/);
});

test("what is no worker is said", LIMIT, async (t) => {
  for (const [words, why] of [
    [["work", "nosuch.mjs"], /no module nosuch/], [["work", "tasks.mjs:send"], /neither a Worker/], [["work", "empty.mjs"], /no queue with tasks/],
    [["work", "tasks.mjs", "tasks.mjs:mail"], /several workers/], [["work", "tasks.mjs", "--processes", "0"], /from 1 on/], [[], /usage/],
    [["work", "worker.mjs", "--concurrency", "2"], /of its own/],
  ]) {
    const files = {
      "tasks.mjs": TASKS, "empty.mjs": "export const a = 1;", "other.mjs": "import './nosuch.mjs';",
      "worker.mjs": "import { Worker } from 'queue-jobs'; export const w = new Worker('a', { a() {} }, { url: 'http://127.0.0.1:1' });",
    };
    const { code, said } = await started(t, words, { files }).ended;
    assert.equal(code, 2, said);
    assert.match(said, why);
    assert.doesNotMatch(said, /\n {4}at /);
  }
  const { said } = await started(t, ["work", "other.mjs"], { files: { "other.mjs": "import './nosuch.mjs';" } }).ended;
  assert.match(said, /imported from .*other\.mjs/);
});
