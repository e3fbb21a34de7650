/** A worker: claims jobs of one queue, runs their handlers, keeps their leases, stores outcomes. */

import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { connectionOf, segment } from "./connection.js";
import { invalid, onlyNames } from "./errors.js";
import { within } from "./ranges.js";
import { Backoff, pause } from "./retry.js";
import { Claims, LIMIT_MAX } from "./worker/claims.js";
import { log } from "./worker/log.js";
import { handled } from "./worker/handled.js";
import { Heartbeat } from "./worker/heartbeat.js";
import { Held } from "./worker/job.js";
import { Settles, withResolvers } from "./worker/settles.js";
import { onSignals } from "./worker/signals.js";
import { write } from "./write.js";

/** What a worker has beside its connection. */
const OPTIONS = [
  "concurrency", "leaseMs", "waitMs", "graceMs", "abortGraceMs", "timeLimitMs", "signals", "announce", "name", "onEvent", "retry",
];
const VERSION = "queue-node 0.1.0";
const ANNOUNCE_MS = 10_000;
const ANNOUNCE_TTL_MS = 30_000;
/** How long the last outcomes have, once all handlers have ended or were given up. */
const LAST_SETTLES_MS = 5_000;
/** A claim that comes back empty sooner than this did not wait, so the next one is put off. */
const QUICK_MS = 50;
/** The longest rest in a pause whose end is known. */
const PAUSE_MS = 20_000;

export class Worker {
  #queue;
  #connection;
  #ownsConnection;
  #handlers;
  #options;
  #name;
  #held = new Set();
  #freed = withResolvers();
  #stopping = new AbortController();
  #isCut = false;
  #abortGraceMs;
  #isOver = false;
  #cutTimer;
  #cutAt = Infinity;
  #given = new AbortController();
  #heartbeat;
  #settles;
  #running;
  #outcomes = {};

  /** @param {string | import("./queue.js").Queue} queue @param {any} handlers @param {import("./index.d.ts").WorkerOptions} options */
  constructor(queue, handlers = {}, options = {}) {
    const isNamed = typeof queue === "string";
    const name = isNamed ? queue : queue?.name;
    this.#queue = name;
    this.#handlers = handlersOf(handlers, isNamed ? undefined : queue?.tasks);
    if (!isNamed) onlyNames("a worker of a Queue", "option", options, OPTIONS);
    this.#ownsConnection = isNamed && options.connection === undefined;
    this.#connection = isNamed ? connectionOf("a worker", options, OPTIONS) : queue.connection;
    this.#options = checked(options);
    this.#abortGraceMs = this.#options.abortGraceMs;
    this.#name = options.name ?? `${hostname().slice(0, 60)}-${process.pid}-${randomBytes(4).toString("hex")}`;
    write(this.#name, { what: "the name of the worker" });
    segment(name);
  }

  /** The name under which it claims, fresh for every worker; the service puts that of the token before it. */
  get name() {
    return this.#name;
  }

  /** The queue of its jobs. */
  get queue() {
    return this.#queue;
  }

  /** How many jobs it holds now. */
  get running() {
    return this.#held.size;
  }

  /**
   * Works until `stop`, a signal or an operator ends it, and resolves when its last job is settled or
   * given up. Rejects with a `QueueError` that repeating cannot help, such as a token that is
   * not accepted; what ran then was settled first as far as possible. A worker runs once.
   */
  async run() {
    if (this.#running !== undefined) throw invalid("a worker runs once, and this one runs or has run: make another one");
    if (this.#stopping.signal.aborted) throw invalid("a worker runs once, and this one was stopped: make another one");
    this.#running = this.#run();
    return this.#running;
  }

  /**
   * Claims nothing more and lets handlers end for `graceMs`; those that have not ended then are
   * aborted and their jobs given back, uncharged. Resolves as `run` does. A second call may shorten
   * the grace and never lengthens it.
   */
  stop(options = {}) {
    onlyNames("stop", "option", options, ["graceMs"]);
    const { graceMs = this.#options.graceMs } = options;
    this.#stopping.abort();
    const cutAt = performance.now() + graceMs;
    if (!this.#isCut && !this.#isOver && cutAt < this.#cutAt) {
      this.#cutAt = cutAt;
      clearTimeout(this.#cutTimer);
      this.#cutTimer = setTimeout(() => this.#cut(), graceMs);
    }
    this.#wake();
    return this.#running ?? Promise.resolve();
  }

  async #run() {
    const unlisten = this.#options.signals ? onSignals(() => this.#signalled()) : () => {};
    this.#settles = new Settles(this.#connection, this.#emit, () => this.#isIdle());
    this.#heartbeat = new Heartbeat({
      connection: this.#connection, worker: this.#name, leaseMs: this.#options.leaseMs, held: this.#held,
      emit: this.#emit, onDrain: () => this.#drain(),
    });
    this.#emit("started", { queue: this.#queue, concurrency: this.#options.concurrency });
    const announcing = this.#options.announce ? this.#announce() : undefined;
    try {
      await this.#claims();
    } finally {
      void this.stop();
      await this.#ended();
      this.#isOver = true;
      clearTimeout(this.#cutTimer);
      this.#settles.end();
      await this.#heartbeat.end();
      await announcing;
      unlisten();
      if (this.#ownsConnection) this.#connection.close();
      this.#emit("ended", { ...this.#outcomes });
    }
  }

  /** The first signal stops the worker; at the second one it waits for no handler. */
  #signalled() {
    const isSecond = this.#stopping.signal.aborted;
    if (isSecond) this.#abortGraceMs = 0;
    void this.stop(isSecond ? { graceMs: 0 } : {}).catch(() => {});
  }

  async #claims() {
    const { concurrency, leaseMs, waitMs } = this.#options;
    const path = `/v1/queues/${segment(this.#queue)}/claim`;
    const claims = new Claims({ connection: this.#connection, path, worker: this.#name, leaseMs, waitMs, emit: this.#emit });
    const backoff = new Backoff();
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const free = concurrency - this.#held.size;
      if (free <= 0) {
        await this.#freed.promise;
        continue;
      }
      const sentAt = performance.now();
      const answer = await claims.claim(Math.min(free, LIMIT_MAX), signal);
      for (const item of answer.jobs) this.#take(item, answer.grantedAt);
      if (answer.drain) this.#drain();
      // A server that shuts down answers at once and without jobs, and so does one that is not asked to wait.
      const isQuick = answer.jobs.length === 0 && performance.now() - sentAt < QUICK_MS;
      if (isQuick) await pause(Math.max(backoff.afterMs(), pausedMs(answer)), signal).catch(() => {});
      else backoff.reset();
    }
  }

  #take(item, grantedAt) {
    const held = new Held(item, grantedAt, () => this.#heartbeat.noted());
    this.#held.add(held);
    if (item.lease_ms < (this.#options.leaseMs * 2) / 3) this.#heartbeat.within(0);
    void this.#work(held).finally(() => {
      this.#held.delete(held);
      this.#wake();
    });
  }

  async #work(held) {
    const outcome = this.#stopping.signal.aborted
      ? { event: "release", fields: {} }
      : await handled(held, this.#handlers, {
        timeLimitMs: this.#options.timeLimitMs, abortGraceMs: () => this.#abortGraceMs, emit: this.#emit, retry: this.#options.retry,
      });
    held.isRunning = false;
    if (outcome === undefined) return;
    const settled = await this.#settles.settle(held, outcome.event, outcome.fields);
    const name = settled === "done" ? outcome.event : "not_settled";
    this.#outcomes[name] = (this.#outcomes[name] ?? 0) + 1;
    if (settled !== "done") this.#emit("not_settled", { job: held.job, outcome: settled });
    else this.#emit("settled", { job: held.job, event: outcome.event });
  }

  /** Whether no other handler can end soon, so that an outcome need not wait for company. */
  #isIdle() {
    for (const held of this.#held) if (held.isRunning) return false;
    return true;
  }

  async #ended() {
    const gone = new Promise((resolve) => this.#given.signal.addEventListener("abort", resolve, { once: true }));
    while (this.#held.size > 0 && !this.#given.signal.aborted) {
      await Promise.race([this.#freed.promise, gone]);
    }
  }

  #cut() {
    this.#isCut = true;
    for (const held of this.#held) held.stop("shutdown");
    this.#cutTimer = setTimeout(() => this.#given.abort(), this.#abortGraceMs + LAST_SETTLES_MS);
  }

  #drain() {
    if (this.#stopping.signal.aborted) return;
    this.#emit("drain", {});
    void this.stop();
  }

  /** Lets everybody look again who waits for a slot. */
  #wake() {
    this.#freed.resolve();
    this.#freed = withResolvers();
  }

  async #announce() {
    const { signal } = this.#stopping;
    const { concurrency } = this.#options;
    const about = {
      worker: this.#name, queues: [this.#queue], concurrency, version: VERSION,
      host: `${hostname()}, process ${process.pid}`.slice(0, 128), kinds: [...this.#handlers.keys()],
    };
    const tell = (ttlMs, options) => {
      const body = write({ ...about, held: this.#held.size, ttl_ms: ttlMs });
      return this.#connection.call("POST", "/v1/workers", body, { ...options, member: "drain" });
    };
    let isPresent = false;
    while (!signal.aborted) {
      try {
        const { body } = await tell(ANNOUNCE_TTL_MS, { signal });
        isPresent = true;
        if (body.drain) this.#drain();
      } catch (error) {
        // Being seen is a comfort. A store that keeps no workers says so once.
        if (error.kind === "unsupported") return;
      }
      await pause(ANNOUNCE_MS * (0.8 + Math.random() / 5), signal).catch(() => {});
    }
    if (isPresent) await tell(0, { signal: AbortSignal.timeout(LAST_SETTLES_MS) }).catch(() => {});
  }

  #emit = (event, details) => {
    try {
      (this.#options.onEvent ?? log)(event, details);
    } catch {
      // An observer's bug must not cost a job.
    }
  };
}

/** How long a pause lasts whose end is known; somebody may resume before, so it is asked again. */
function pausedMs({ paused, next_due_in_ms: dueMs }) {
  return paused && typeof dueMs === "number" ? Math.min(dueMs, PAUSE_MS) : 0;
}

/** The handlers beside the tasks; a plain object's own alone, or the kind `constructor` had one. */
function handlersOf(handlers, tasks = []) {
  if (typeof handlers !== "object" || handlers === null) {
    throw invalid("handlers are an object by kind: { email: async (job) => .. }");
  }
  const map = new Map([...tasks, ...(handlers instanceof Map ? handlers : Object.entries(handlers))]);
  if (map.size === 0) throw invalid("a worker without a handler would fail every job: give handlers, or define tasks before it");
  for (const [kind, handler] of map) {
    write(kind, { what: "the kind of a handler" });
    if (typeof handler !== "function") throw invalid(`the handler of ${JSON.stringify(kind)} is not a function`);
  }
  return map;
}

const RANGES = {
  concurrency: [1, 10_000], leaseMs: [1_000, 3_600_000], waitMs: [0, 60_000], graceMs: [0, 86_400_000], abortGraceMs: [0, 86_400_000],
};

function checked(options) {
  const all = {
    concurrency: 10, leaseMs: 30_000, waitMs: 20_000, graceMs: 20_000, abortGraceMs: 5_000,
    announce: true, signals: true, ...defined(options),
  };
  for (const [name, [least, most]] of Object.entries(RANGES)) within(name, all[name], least, most);
  if (all.timeLimitMs !== undefined) within("timeLimitMs", all.timeLimitMs, 0, Number.MAX_SAFE_INTEGER);
  return all;
}

function defined(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
