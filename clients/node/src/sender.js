/** Calls that are sent until they have an answer, and jobs in as few calls as fit. */

import { invalid, onlyNames, QueueError } from "./errors.js";
import { retried } from "./retry.js";
import { drawnId, jobOut, resultIn, tracedHeaders } from "./wire.js";
import { write } from "./write.js";

/** The most jobs of one call. */
export const JOBS_MAX = 1_000;
/** The most text of jobs in one call, below the 8 MiB of the service. One job may be larger. */
const BYTES_MAX = 4 << 20;

export class Sender {
  #queue;
  #retryMs;
  #traceparent;
  #drawId;

  /**
   * @param {{connection: import("./connection.js").Connection}} queue whose connection may change
   * @param {Pick<import("./index.d.ts").QueueOptions, "traceparent" | "drawId">} options
   */
  constructor(queue, retryMs, { traceparent, drawId }) {
    this.#queue = queue;
    this.#retryMs = retryMs;
    this.#traceparent = traceparent;
    this.#drawId = drawId ?? drawnId;
  }

  /** The body of a good answer, which has this member. */
  async call(method, path, body, member, options = {}) {
    onlyNames("this call", "option", options, ["signal"]);
    const { signal } = options;
    const send = () => this.#queue.connection.call(method, path, body, { signal, member });
    return (await retried(this.#retryMs, signal, send)).body;
  }

  /** Stores jobs at a path that answers the outcome of each. `fields` go with each call. */
  async store(path, jobs, fields, { atomic, signal }) {
    if (typeof jobs?.[Symbol.iterator] !== "function" || typeof jobs === "string") {
      throw invalid("jobs: a list such as [{ kind: \"email\", payload }]; enqueue and add take a single job");
    }
    const all = [...jobs];
    const items = all.map((job, at) => named(all.length > 1 ? `jobs[${at}]` : "", () => this.#item(job)));
    const outcomes = [];
    for (const part of parts(items, atomic)) {
      try {
        outcomes.push(...(await this.#send(path, part, fields, signal)));
      } catch (error) {
        if (error instanceof QueueError) error.outcomes = outcomes;
        throw error;
      }
    }
    return outcomes;
  }

  #item(job) {
    if (typeof job !== "object" || job === null) throw invalid('a job is an object such as { kind: "email", payload }');
    const isDrawn = job.id === undefined;
    const headers = tracedHeaders(job, this.#traceparent?.());
    const text = write(jobOut(job, isDrawn ? this.#drawId() : job.id, headers));
    return { isDrawn, text };
  }

  async #send(path, part, fields, signal) {
    const rest = write(fields).slice(1, -1);
    const body = `{"jobs":[${part.map((item) => item.text).join()}]${rest === "" ? "" : `,${rest}`}}`;
    const asked = { signal, member: "jobs", length: part.length };
    return retried(this.#retryMs, signal, async ({ isResent }) => {
      const { body: answer } = await this.#queue.connection.call("POST", path, body, asked);
      return answer.jobs.map((item, at) => enqueued(item, part[at].isDrawn, isResent));
    });
  }
}

/** Puts the place of a job before what is wrong with it. */
function named(place, make) {
  try {
    return make();
  } catch (error) {
    if (error instanceof QueueError && place !== "") error.message = `${place}.${error.message}`;
    throw error;
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
  // No other client knows an id that was drawn here: it is taken by the sending without an answer.
  if (isDrawn && isResent && outcome !== "queued") return { id, seq, outcome: "queued", isResent };
  return { id, seq, outcome, isResent, ...(state === undefined ? {} : { state }), ...resultIn(item) };
}
