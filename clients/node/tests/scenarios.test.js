/** The scenarios that every client passes, through a proxy and against a real server. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue, QueueError } from "../src/index.js";
import { parse } from "../src/json.js";
import { write } from "../src/write.js";
import { batchCall, jobOut, outcomeIn, pauseIn, scheduleCall } from "./fields.js";
import { filled, mismatch } from "./patterns.js";
import { Proxy } from "./proxy.js";
import { Server } from "./server.js";
import { work } from "./worker-step.js";

const FILE = new URL("../../spec/scenarios.json", import.meta.url);
/** Its numbers are exact, also in what is sent. */
const file = parse(readFileSync(FILE, "utf8"));
/** A scenario that is for each item of a list comes once for each. */
const scenarios = file.scenarios.flatMap((scenario) => (file[scenario.for_each] ?? [undefined]).map((it) => (
  it === undefined ? scenario : { ...scenario, name: `${scenario.name}: ${it.what}`, it })));
const AT_ONCE = 4;
const UNTIL_MS = 60_000;
/** A scenario that stands still fails. */
const LIMIT = { timeout: 240_000 };

let shared;
before(async () => {
  shared = await Server.start();
});
after(() => shared?.remove());

test("scenarios", { concurrency: AT_ONCE }, async (all) => {
  const started = scenarios.map((scenario, at) => all.test(scenario.name, LIMIT, () => new Run(scenario, at).all()));
  await Promise.all(started);
});

class Run {
  names = {};

  constructor(scenario, at) {
    this.scenario = scenario;
    this.names.it = scenario.it;
    this.name = scenario.queue?.replace("{n}", at) ?? `scenario-${at}`;
    this.jobOf = jobOut;
  }

  async all() {
    this.server = this.scenario.own_server ? await Server.start() : shared;
    this.proxy = new Proxy(() => this.server.port);
    try {
      const url = await this.proxy.listen();
      this.queue = new Queue(this.name, { url, token: this.server.tokens[this.scenario.token ?? "all"], retryMs: this.scenario.retry_ms });
      await this.steps(this.scenario.steps);
    } finally {
      this.queue?.close();
      this.proxy.close();
      if (this.scenario.own_server) await this.server.remove();
    }
  }

  steps = async (steps) => {
    for (const step of steps) {
      const [action, doer] = Object.entries(ACTIONS).find(([name]) => name in step) ?? [];
      assert.ok(doer, `there is no such step: ${write(step)}`);
      try {
        await doer(this, step);
      } catch (error) {
        error.message = `${action} of ${write(step).slice(0, 200)}: ${error.message}`;
        throw error;
      }
    }
  };

  fill(value) {
    return filled(value, this.names);
  }

  matches(pattern, value, what) {
    if (pattern !== undefined) assert.equal(mismatch(pattern, value, this.names, what), undefined);
  }

  /** A call of the client, which must end as the step says. */
  async client(step, call) {
    if (step.problem === undefined) {
      this.matches(step.answer, await call(), "answer");
      return;
    }
    const error = await call().then((value) => assert.fail(`it succeeded: ${write(value)}`), (thrown) => thrown);
    if (!(error instanceof QueueError)) throw error;
    this.matches(step.problem, error, "problem");
  }

  /** A bare request, which meets no fault. */
  async request(line, step) {
    const [method, path] = line.split(" ");
    const headers = { "content-type": "application/json" };
    const token = this.server.tokens[step.token ?? "all"];
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    const { body, body_text: bodyText, headers: given } = this.fill(step);
    const text = bodyText ?? (body === undefined ? undefined : write(body));
    const url = this.server.url + path.replace("{queue}", encodeURIComponent(this.name));
    const answer = await fetch(url, { method, headers: { ...headers, ...given }, body: text });
    return { status: answer.status, body: await answer.text() };
  }

  /** A job that is processing may be on its way to the worker still; steps mean that its handler runs. */
  hasStarted({ until, answer }) {
    if (this.seen === undefined || answer?.state !== "processing") return;
    const id = decodeURIComponent(until.split("/").at(-1));
    assert.ok(this.seen.some((job) => job.id === id), `the handler of ${id} has not started`);
  }

  judge(step, { status, body }) {
    if (step.status !== undefined) assert.equal(status, step.status, `status ${status}: ${body.slice(0, 300)}`);
    if (step.answer !== undefined) this.matches(step.answer, parse(body), "answer");
  }
}

const ACTIONS = {
  open: (run, step) => run.client(step, async () => {
    new Queue(run.name, { url: step.open, token: run.server.tokens.all }).close();
    return {};
  }),
  enqueue: (run, step) => run.client(step, async () => outcomeIn(await run.queue.enqueue(jobOut(run.fill(step.enqueue))))),
  enqueue_many: (run, step) => run.client(step, async () => {
    const { jobs, atomic } = run.fill(step.enqueue_many);
    return (await run.queue.enqueueMany(jobs.map(jobOut), { atomic })).map(outcomeIn);
  }),
  enqueue_task: (run, step) => run.client(step, async () => {
    const { kind, payload, ...options } = jobOut(run.fill(step.enqueue_task));
    const queue = new Queue(run.name, { connection: run.queue.connection });
    return outcomeIn(await queue.task(kind, () => {}).enqueue(payload, options));
  }),
  wait: (run, step) => run.client(step, async () => {
    const { id, seq, timeout_ms: timeoutMs } = run.fill(step.wait);
    return outcomeIn(await run.queue.wait(id, { seq, timeoutMs }));
  }),
  cancel: (run, step) => run.client(step, async () => {
    const { ids, processing } = run.fill(step.cancel);
    return run.queue.cancelMany(ids, { processing });
  }),
  redrive: (run, step) => run.client(step, async () => run.queue.redriveMany(run.fill(step.redrive).ids)),
  pause: (run, step) => run.client(step, async () => pauseIn(await run.queue.pause(jobOut(run.fill(step.pause))))),
  resume: (run, step) => run.client(step, async () => pauseIn(await run.queue.resume(run.fill(step.resume)))),
  get: (run, step) => run.client(step, () => run.queue.get(run.fill(step.get).id)),
  counts: (run, step) => run.client(step, () => run.queue.counts()),
  list: (run, step) => run.client(step, () => run.queue.list(jobOut(run.fill(step.list)))),
  failures: (run, step) => run.client(step, async () => {
    const groups = await run.queue.failures();
    return groups.map(({ firstAtMs, lastAtMs, ...group }) => ({ ...group, first_at_ms: firstAtMs, last_at_ms: lastAtMs }));
  }),
  limits: (run, step) => run.client(step, () => {
    const { get, set } = run.fill(step.limits);
    return get ? run.queue.limits() : run.queue.setLimits(set);
  }),
  partitions: (run, step) => run.client(step, () => run.queue.partitions(run.fill(step.partitions))),
  schedules: (run, step) => run.client(step, () => scheduleCall(run.queue.schedules, run.fill(step.schedules))),
  batches: (run, step) => run.client(step, () => batchCall(run.queue.batches, run.fill(step.batches))),
  work: (run, step) => work(run, step.work, run.steps),
  call: async (run, step) => run.judge(step, await run.request(step.call, step)),
  until: async (run, step) => {
    const end = performance.now() + UNTIL_MS;
    for (;;) {
      try {
        run.judge(step, await run.request(step.until, step));
        run.hasStarted(step);
        return;
      } catch (error) {
        if (performance.now() > end) throw error;
      }
      await sleep(10);
    }
  },
  fault: (run, step) => run.proxy.fault(run.fill(step.fault)),
  requests: (run, step) => {
    const { on, list } = step.requests;
    const bodies = run.proxy.requests.filter(({ path }) => path.endsWith(on)).map(({ body }) => parse(body || "null"));
    run.matches(list, bodies.slice(0, list.length), `requests to ${on}`);
  },
  server: async (run, step) => {
    if (step.server === "kill") await run.server.kill();
    else await run.server.start();
  },
};
