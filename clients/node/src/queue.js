/** A queue as producers see it. */

import { Batches } from "./batches.js";
import { connectionOf, segment } from "./connection.js";
import { invalid, onlyNames } from "./errors.js";
import { limitsOut } from "./limits.js";
import { within } from "./ranges.js";
import { resultOf } from "./results.js";
import { pause, retried } from "./retry.js";
import { Schedules } from "./schedules.js";
import { JOBS_MAX, Sender } from "./sender.js";
import { Tasks } from "./tasks.js";
import { bodyIn, errorIn, resultIn } from "./wire.js";
import { write } from "./write.js";

/** What a listing may be bounded by, as it is called here and there. */
const FILTERS = { state: "state", kind: "kind", tag: "tag", partition: "partition", idPrefix: "id_prefix", order: "order", limit: "limit", after: "after" };
/** What a queue has beside its connection. */
const OPTIONS = ["retryMs", "traceparent", "drawId"];
const RETRY_MS = 30_000;
/** The longest wait that one call asks for; a longer one takes several. */
const WAIT_MS = 20_000;
/** How long a wait lasts that does not say it. */
const TIMEOUT_MS = 30_000;
/** How long past its end a wait still asks a service that does not answer. */
const LATE_MS = 5_000;

/**
 * Enqueues jobs and waits for their outcomes. All calls repeat what has no answer, and are safe to
 * repeat. `close` ends the connections.
 */
export class Queue {
  #path;
  #retryMs;
  #sender;
  #tasks = new Tasks(this);

  /** @param {string} name @param {import("./index.d.ts").QueueOptions} options */
  constructor(name, options = {}) {
    this.name = name;
    this.connection = connectionOf("a queue", options, OPTIONS);
    this.#path = `/v1/queues/${segment(name)}`;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#sender = new Sender(this, this.#retryMs, options);
  }

  close() {
    this.connection.close();
  }

  /** The schedules of this queue. */
  get schedules() {
    return new Schedules(this.#sender, this.#path);
  }

  /** The batches of this queue. */
  get batches() {
    return new Batches(this.#sender, this.#path);
  }

  async batch(name, batch, options) {
    return this.batches.open(name, batch, options);
  }

  task(kind, run, defaults) {
    return this.#tasks.define(kind, run, defaults);
  }

  /** The handlers of the tasks by kind, which every worker of this queue has. */
  get tasks() {
    return this.#tasks.handlers;
  }

  async enqueue(job, options = {}) {
    onlyNames("enqueue", "option", options, ["signal"]);
    const [outcome] = await this.enqueueMany([job], options);
    return outcome;
  }

  async enqueueMany(jobs, options = {}) {
    onlyNames("enqueueMany", "option", options, ["atomic", "signal"]);
    const { atomic = false, signal } = options;
    return this.#sender.store(`${this.#path}/jobs`, jobs, { atomic }, { atomic, signal });
  }

  async wait(id, options = {}) {
    onlyNames("wait", "option", options, ["seq", "timeoutMs", "signal"]);
    const { timeoutMs = TIMEOUT_MS, signal } = options;
    if (timeoutMs !== Infinity) within("timeoutMs", timeoutMs, 0, Number.MAX_SAFE_INTEGER, " or Infinity");
    const until = performance.now() + timeoutMs;
    let { seq } = options;
    for (;;) {
      const waitMs = Math.max(0, Math.min(WAIT_MS, Math.ceil(until - performance.now())));
      const body = write({ id, seq, wait_ms: waitMs });
      const lastMs = until - performance.now() + LATE_MS;
      const { body: told } = await retried(
        this.#retryMs,
        signal,
        () => this.connection.call("POST", `${this.#path}/jobs:wait`, body, { signal, waitMs, member: "outcome" }),
        { waitMs, lastMs },
      );
      const outcome = ended(told);
      if (outcome.outcome !== "pending" || performance.now() >= until) return outcome;
      // The wait is about the life that it met first, and not about one that takes its id.
      seq ??= told.seq;
      // A server that shuts down answers waits at once.
      await pause(20, signal);
    }
  }

  async result(id, options = {}) {
    onlyNames("result", "option", options, ["seq", "timeoutMs", "signal"]);
    // One sending: the outcome is known, and what the job shows beside only makes an error clearer.
    const shown = async () => (await this.connection.call("GET", this.#pathOf(id), undefined, { signal: options.signal, member: "id" })).body;
    return resultOf(await this.wait(id, options), shown);
  }

  async cancel(id, options = {}) {
    const [outcome] = await this.cancelMany([id], options);
    return outcome;
  }

  async cancelMany(ids, options = {}) {
    onlyNames("cancel", "option", options, ["processing", "signal"]);
    const { processing = "leave", signal } = options;
    return this.#changed("cancel", ids, { processing }, signal);
  }

  async redrive(id, options) {
    const [outcome] = await this.redriveMany([id], options);
    return outcome;
  }

  async redriveMany(ids, options = {}) {
    onlyNames("redrive", "option", options, ["signal"]);
    return this.#changed("redrive", ids, {}, options.signal);
  }

  async #changed(action, ids, fields, signal) {
    if (typeof ids === "string") throw invalid(`ids: a list such as [${JSON.stringify(ids)}], and not a text`);
    const outcomes = [];
    for (let from = 0; from < ids.length; from += JOBS_MAX) {
      const part = ids.slice(from, from + JOBS_MAX);
      const body = write({ ids: part, ...fields });
      const asked = { signal, member: "items", length: part.length };
      const items = await retried(this.#retryMs, signal, async ({ isResent }) => {
        const { body: told } = await this.connection.call("POST", `${this.#path}/jobs:${action}`, body, asked);
        return told.items.map(({ id, outcome, state }) => ({ id, outcome, state, isResent }));
      });
      outcomes.push(...items);
    }
    return outcomes;
  }

  async pause(options = {}) {
    onlyNames("pause", "option", options, ["kind", "forMs", "signal"]);
    const { kind, forMs, signal } = options;
    const body = write({ kind, for_ms: forMs });
    return paused(await this.#sender.call("POST", `${this.#path}/pause`, body, "paused", { signal }));
  }

  async resume(options = {}) {
    onlyNames("resume", "option", options, ["kind", "signal"]);
    const { kind, signal } = options;
    return paused(await this.#sender.call("POST", `${this.#path}/resume`, write({ kind }), "paused", { signal }));
  }

  async limits(options) {
    return this.#sender.call("GET", `${this.#path}/limits`, undefined, "partitions", options);
  }

  async setLimits(limits, options) {
    await this.#sender.call("PUT", `${this.#path}/limits`, write(limitsOut(limits)), "outcome", options);
  }

  async partitions(options = {}) {
    onlyNames("partitions", "option", options, ["limit", "after", "signal"]);
    const { limit = 100, after, signal } = options;
    write({ limit, after });
    const query = new URLSearchParams({ limit: String(limit), ...(after === undefined ? {} : { after }) });
    const { partitions, next } = await this.#sender.call("GET", `${this.#path}/partitions?${query}`, undefined, "partitions", { signal });
    return { partitions, ...(next === null || next === undefined ? {} : { next }) };
  }

  async get(id, options) {
    return this.#sender.call("GET", this.#pathOf(id), undefined, "id", options);
  }

  async body(id, options) {
    return bodyIn(await this.#sender.call("GET", `${this.#pathOf(id)}/body`, undefined, "id", options));
  }

  #pathOf(id) {
    return `${this.#path}/jobs/${segment(id)}`;
  }

  async counts(options) {
    return this.#sender.call("GET", this.#path, undefined, "total", options);
  }

  async list({ signal, ...filter } = {}) {
    const { jobs, next } = await this.#sender.call("GET", `${this.#path}/jobs?${queryOf(filter)}`, undefined, "jobs", { signal });
    return { jobs, ...(next === null || next === undefined ? {} : { next }) };
  }

  async failures(options) {
    const { groups } = await this.#sender.call("GET", `${this.#path}/failures`, undefined, "groups", options);
    return groups.map(({ first_at_ms: firstAtMs, last_at_ms: lastAtMs, ...group }) => ({ ...group, firstAtMs, lastAtMs }));
  }
}

function ended(told) {
  const { id, seq, outcome, reason, state } = told;
  const error = errorIn(told.error);
  return {
    id, outcome,
    ...(seq === undefined || seq === null ? {} : { seq }),
    ...(reason === undefined || reason === null ? {} : { reason }),
    ...(state === undefined || state === null ? {} : { state }),
    ...(error === undefined ? {} : { error }),
    ...resultIn(told),
  };
}

function paused({ paused: isPaused, until_ms: untilMs }) {
  return { paused: isPaused, ...(untilMs === null || untilMs === undefined ? {} : { untilMs }) };
}

/** The filter of a listing as a query. One that is not known throws, since it would list too much. */
function queryOf(filter) {
  onlyNames("a listing", "filter", filter, Object.keys(FILTERS));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    write(value, { what: name });
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(FILTERS[name], one);
  }
  return query;
}
