/** A queue as producers see it. */

import { randomBytes } from "node:crypto";
import { Connection, segment } from "./connection.js";
import { invalid, QueueError } from "./errors.js";
import { write } from "./json.js";
import { pause, retried } from "./retry.js";
import { Schedules } from "./schedules.js";
import { errorIn, jobOut, resultIn, tracedHeaders } from "./wire.js";

/** The most jobs of one call. */
const JOBS_MAX = 1_000;
/** The most text of jobs in one call, below the 8 MiB of the service. One job may be larger. */
const BYTES_MAX = 4 << 20;
const RETRY_MS = 30_000;
/** The longest wait that one call asks for; a longer one takes several. */
const WAIT_MS = 20_000;
/** How long past its end a wait still asks a service that does not answer. */
const LATE_MS = 5_000;

/**
 * Enqueues jobs and waits for their outcomes. All calls repeat what has no answer, and are safe to
 * repeat. `close` ends the connections.
 */
export class Queue {
  #path;
  #retryMs;
  #traceparent;
  #drawId;

  /** @param {string} name @param {import("./index.d.ts").QueueOptions} options */
  constructor(name, options) {
    this.name = name;
    this.connection = options.connection ?? new Connection(options);
    this.#path = `/v1/queues/${segment(name)}`;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#traceparent = options.traceparent;
    this.#drawId = options.drawId ?? (() => randomBytes(16).toString("hex"));
  }

  close() {
    this.connection.close();
  }

  /** The schedules of this queue. */
  get schedules() {
    return new Schedules(this.connection, this.#path, this.#retryMs);
  }

  async enqueue(job, options = {}) {
    const [outcome] = await this.enqueueMany([job], options);
    return outcome;
  }

  async enqueueMany(jobs, options = {}) {
    const { atomic = false, signal } = options;
    const items = jobs.map((job) => this.#item(job));
    const outcomes = [];
    for (const part of parts(items, atomic)) {
      try {
        outcomes.push(...(await this.#send(part, atomic, signal)));
      } catch (error) {
        if (error instanceof QueueError) error.outcomes = outcomes;
        throw error;
      }
    }
    return outcomes;
  }

  #item(job) {
    if (typeof job !== "object" || job === null) throw invalid("a job is an object");
    const isDrawn = job.id === undefined;
    const headers = tracedHeaders(job, this.#traceparent?.());
    const text = write(jobOut(job, isDrawn ? this.#drawId() : job.id, headers));
    return { isDrawn, text };
  }

  async #send(part, atomic, signal) {
    const body = `{"jobs":[${part.map((item) => item.text).join()}],"atomic":${atomic}}`;
    const asked = { member: "jobs", length: part.length };
    return retried(this.#retryMs, signal, async ({ isResent }) => {
      const { body: told } = await this.connection.call("POST", `${this.#path}/jobs`, body, { signal, ...asked });
      return told.jobs.map((item, at) => enqueued(item, part[at].isDrawn, isResent));
    });
  }

  async wait(id, options = {}) {
    const { timeoutMs = Infinity, signal } = options;
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

  async cancel(id, options = {}) {
    const [outcome] = await this.cancelMany([id], options);
    return outcome;
  }

  async cancelMany(ids, options = {}) {
    const { processing = "leave", signal } = options;
    const outcomes = [];
    for (let from = 0; from < ids.length; from += JOBS_MAX) {
      const part = ids.slice(from, from + JOBS_MAX);
      const body = write({ ids: part, processing });
      const asked = { signal, member: "items", length: part.length };
      const items = await retried(this.#retryMs, signal, async ({ isResent }) => {
        const { body: told } = await this.connection.call("POST", `${this.#path}/jobs:cancel`, body, asked);
        return told.items.map(({ id, outcome, state }) => ({ id, outcome, state, isResent }));
      });
      outcomes.push(...items);
    }
    return outcomes;
  }

  async job(id, { signal } = {}) {
    return retried(this.#retryMs, signal, async () => {
      const asked = { signal, member: "id" };
      const { body } = await this.connection.call("GET", `${this.#path}/jobs/${segment(id)}`, undefined, asked);
      return body;
    });
  }

  async failures({ signal } = {}) {
    return retried(this.#retryMs, signal, async () => {
      const asked = { signal, member: "groups" };
      const { body } = await this.connection.call("GET", `${this.#path}/failures`, undefined, asked);
      return body.groups.map(({ first_at_ms: firstAtMs, last_at_ms: lastAtMs, ...group }) => ({ ...group, firstAtMs, lastAtMs }));
    });
  }
}

/** Divides jobs into calls. All or nothing is one call, which the service refuses if it is too large. */
function parts(items, atomic) {
  if (atomic) return [items];
  const all = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(item.text);
    const last = all.at(-1);
    if (last === undefined || last.length === JOBS_MAX || bytes + size > BYTES_MAX) {
      all.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return all;
}

function enqueued(item, isDrawn, isResent) {
  const { id, seq, outcome, state } = item;
  // Nobody else knows an id that was drawn here: it is taken by the sending without an answer.
  if (isDrawn && isResent && outcome !== "queued") return { id, seq, outcome: "queued", isResent };
  return { id, seq, outcome, isResent, ...(state === undefined ? {} : { state }), ...resultIn(item) };
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
