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
function started(t, words, { token = server.tokens.all, files = { "tasks.mjs": TASKS } } = {}) {
  const directory = emptyDirectory(t);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const program = join(directory, "node_modules", "queue-jobs", "src", "cli.js");
  const env = { PATH: process.env.PATH, QUEUE_URL: server.url, QUEUE_TOKEN_FILE: server.tokenFile(token) };
  const child = spawn(process.execPath, [program, ...words], { cwd: directory, env, stdio: ["ignore", "ignore", "pipe"] });
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
    [["work", "nosuch.mjs"], /no module nosuch/], [["work", "tasks.mjs:send"], /no Worker/], [["work", "empty.mjs"], /no queue with tasks/],
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
