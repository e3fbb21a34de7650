/** What only a process of its own shows: the program of the README, and signals. */

import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Queue } from "../src/index.js";
import { emptyDirectory, PACKAGE, programs } from "./directory.js";
import { Server } from "./server.js";

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.remove());

test("the program of the README runs from an empty directory", async (t) => {
  const directory = emptyDirectory(t);
  const [program] = programs();
  assert.ok(program.trim().split("\n").length <= 11, "the program has ten lines");
  writeFileSync(join(directory, "main.mjs"), program);
  const env = { PATH: process.env.PATH, QUEUE_URL: server.url, QUEUE_TOKEN_FILE: server.tokenFile() };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["main.mjs"], { cwd: directory, env, timeout: 120_000 });
  assert.equal(stdout, "{ sent: 'ada@example.org' }\n");
  assert.match(stderr, /^queue: started queue=\S+ concurrency=\d+\nqueue: ended complete=1\n$/);
});

test("the tasks of the README are worked by the command and enqueued by the producer", async (t) => {
  const directory = emptyDirectory(t);
  const [, tasks, producer] = programs();
  assert.ok(tasks.trim().split("\n").length <= 11, "the program has ten lines");
  writeFileSync(join(directory, "tasks.mjs"), tasks);
  writeFileSync(join(directory, "producer.mjs"), producer);
  const env = { PATH: process.env.PATH, QUEUE_URL: server.url, QUEUE_TOKEN_FILE: server.tokenFile() };
  const command = join(directory, "node_modules", "queue-jobs", "src", "cli.js");
  const worker = spawn(command, ["work", "tasks.mjs"], { cwd: directory, env, stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => worker.kill("SIGKILL"));
  let said = "";
  worker.stdout.on("data", (text) => { said += text; });
  const ended = new Promise((resolve) => worker.on("close", (code) => resolve(code)));
  const { stdout } = await promisify(execFile)(process.execPath, ["producer.mjs"], { cwd: directory, env, timeout: 120_000 });
  assert.equal(stdout, "{ sent: 'ada@example.org' }\n");
  worker.kill("SIGTERM");
  assert.deepEqual([await ended, said], [0, "sending to ada@example.org\n"]);
});

test("the test of the README passes", async (t) => {
  const directory = emptyDirectory(t);
  writeFileSync(join(directory, "welcome.test.mjs"), programs().find((program) => program.includes("node:test")));
  const env = { PATH: process.env.PATH };
  const { stdout } = await promisify(execFile)(process.execPath, ["--test"], { cwd: directory, env, timeout: 120_000 });
  assert.match(stdout, /# pass 1\n# fail 0/);
});

test("SIGTERM lets what ends in time end, gives back the rest uncharged, and the process ends", async (t) => {
  const directory = emptyDirectory(t);
  writeFileSync(join(directory, "main.mjs"), `
    import { setTimeout as sleep } from "node:timers/promises";
    import { Worker } from "queue-jobs";
    let waiting;
    process.once("SIGTERM", () => waiting?.());
    const handlers = {
      long: (job) => { console.log("started"); return sleep(60_000, undefined, { signal: job.signal }); },
      short: (job) => { console.log("started"); return new Promise((resolve) => { waiting = () => resolve("ended"); }); },
    };
    const { QUEUE_URL: url, QUEUE_TOKEN_FILE: tokenFile } = process.env;
    await new Worker("signals", handlers, { url, tokenFile, graceMs: 300 }).run();
    console.log("over");`);
  const queue = new Queue("signals", { url: server.url, token: server.tokens.all });
  t.after(() => queue.close());
  await queue.enqueueMany([{ id: "long", kind: "long" }, { id: "short", kind: "short" }]);
  const env = { PATH: process.env.PATH, QUEUE_URL: server.url, QUEUE_TOKEN_FILE: server.tokenFile() };
  const child = spawn(process.execPath, ["main.mjs"], { cwd: directory, env, stdio: ["ignore", "pipe", "inherit"] });
  let told = "";
  const ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
  await new Promise((resolve) => {
    child.stdout.on("data", (text) => {
      told += text;
      if (told.startsWith("started\nstarted\n")) resolve();
    });
  });
  child.kill("SIGTERM");
  assert.equal(await ended, 0);
  assert.equal(told, "started\nstarted\nover\n");
  assert.equal((await queue.wait("short")).result, "ended");
  const { body } = await queue.connection.call("GET", "/v1/queues/signals/jobs/long");
  assert.deepEqual([body.state, body.failures, body.stalls, body.attempts_made], ["queued", 0, 0, 0]);
});

test("a worker that was stopped for longer than its lease changes nothing and says so", async (t) => {
  const directory = emptyDirectory(t);
  writeFileSync(join(directory, "main.mjs"), `
    import { once } from "node:events";
    import { Worker } from "queue-jobs";
    const slow = async () => {
      console.log("started");
      await once(process.stdin, "data");
      process.stdin.destroy();
      return "late";
    };
    const { QUEUE_URL: url, QUEUE_TOKEN_FILE: tokenFile } = process.env;
    await new Worker("late", { slow }, { url, tokenFile, leaseMs: 1_000, waitMs: 0 }).run();`);
  const queue = new Queue("late", { url: server.url, token: server.tokens.all });
  t.after(() => queue.close());
  await queue.enqueue({ id: "a", kind: "slow" });
  const env = { PATH: process.env.PATH, QUEUE_URL: server.url, QUEUE_TOKEN_FILE: server.tokenFile() };
  const child = spawn(process.execPath, ["main.mjs"], { cwd: directory, env, stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => child.kill("SIGKILL"));
  const ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGSTOP");
  const told = new Promise((resolve) => {
    let text = "";
    child.stderr.on("data", (part) => {
      text += part;
      if (/queue: (lease_lost|not_settled) /.test(text)) resolve();
    });
  });
  let jobs = [];
  // The service looks for lapsed leases every five seconds.
  while (jobs.length === 0) {
    const claim = JSON.stringify({ worker: "other", claim_id: randomBytes(16).toString("hex"), wait_ms: 2_000 });
    ({ body: { jobs } } = await queue.connection.call("POST", "/v1/queues/late/claim", claim, { waitMs: 2_000 }));
  }
  child.kill("SIGCONT");
  child.stdin.write("end");
  await told;
  const settle = { items: [{ receipt: jobs[0].receipt, complete: { result: "in time" } }] };
  const { body } = await queue.connection.call("POST", "/v1/settle", JSON.stringify(settle));
  assert.equal(body.items[0].outcome, "done");
  assert.equal((await queue.wait("a")).result, "in time");
  child.kill("SIGTERM");
  assert.equal(await ended, 0);
});

test("the types of the package hold", { skip: tsc() === undefined && "no TypeScript compiler: `npm install`, or name it in QUEUE_TSC" }, () => {
  const [program, ...args] = tsc();
  execFileSync(program, [...args, "-p", PACKAGE], { stdio: "pipe" });
});

/** The compiler, with the types of Node beside it. */
function tsc() {
  const path = process.env.QUEUE_TSC ?? join(PACKAGE, "node_modules", ".bin", "tsc");
  try {
    execFileSync(path, ["--version"], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  return process.env.QUEUE_TSC === undefined ? [path] : [path, "--typeRoots", join(path, "..", "..", "@types")];
}
