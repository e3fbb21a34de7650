/** For tests of programs that enqueue: jobs run at once, in this process, without any service. */

import { judged } from "./answers.js";
import { segment } from "./connection.js";
import { invalid, onlyNames, QueueError } from "./errors.js";
import { JsonText, parse, read, TEXT } from "./json.js";
import { drawnId } from "./wire.js";
import { handled } from "./worker/handled.js";
import { Held } from "./worker/job.js";
import { write } from "./write.js";

/** The lease of a job here, which nothing ends. */
const LEASE_MS = Number.MAX_SAFE_INTEGER;
/** How long a handler may go on after its time limit, as in a worker. */
const ABORT_GRACE_MS = 5_000;
const SHAPE = { jobs: [{ payload: TEXT }] };

export function eager(queue, options = {}) {
  onlyNames("eager", "option", options, ["handlers", "raises"]);
  const { handlers = {}, raises = true } = options;
  const service = queue.connection;
  const connection = new Eager(queue, new Map(handlers instanceof Map ? handlers : Object.entries(handlers)), raises);
  queue.connection = connection;
  return {
    ran: connection.ran,
    end() {
      queue.connection = service;
    },
  };
}

/** Stands in for a connection: runs each job as it is enqueued, and keeps its outcome. */
class Eager {
  ran = [];
  #queue;
  #path;
  #handlers;
  #raises;
  /** By id: `{seq, state, outcome}`, whose last has the fields that a wait answers. */
  #kept = new Map();
  #seq = 0;

  constructor(queue, handlers, raises) {
    this.#queue = queue;
    this.#path = `/v1/queues/${segment(queue.name)}/`;
    this.#handlers = handlers;
    this.#raises = raises;
  }

  async call(method, path, body, { member, length } = {}) {
    const answer = await this.#answer(`${method} ${path.replace(this.#path, "")}`, body);
    return { status: 200, body: judged(200, "application/json", write(answer), { member, length }) };
  }

  close() {}

  async #answer(call, body) {
    switch (call) {
      case "POST jobs": {
        const jobs = [];
        for (const job of read(body, SHAPE).jobs) jobs.push(await this.#enqueued(job));
        return { jobs };
      }
      case "POST jobs:wait":
        return this.#waited(parse(body).id);
      case "POST jobs:cancel":
        return { items: parse(body).ids.map((id) => this.#cancelled(id)) };
      default: {
        const detail = `eager mode has enqueue, wait and cancel alone, and not ${call}`;
        throw new QueueError({ kind: "unsupported", certainty: "not_applied", detail });
      }
    }
  }

  async #enqueued(job) {
    const { id = drawnId(), kind = "default" } = job;
    const known = this.#kept.get(id);
    if (known?.state === "completed") return { id, seq: known.seq, ...known.outcome };
    if (known !== undefined) return { id, seq: known.seq, outcome: "duplicate", state: known.state };
    const handler = this.#handlers.get(kind) ?? this.#queue.tasks.get(kind);
    if (handler === undefined) throw invalid(`eager mode has no handler for the kind ${JSON.stringify(kind)}: give handlers`);
    const kept = { seq: (this.#seq += 1), state: "processing" };
    this.#kept.set(id, kept);
    const held = new Held(this.#item(job, id, kind, kept.seq), 0, () => {});
    this.ran.push(held.job);
    let raised;
    const emit = (_event, { error }) => { raised = error; };
    const end = await handled(held, new Map([[kind, handler]]), { abortGraceMs: () => ABORT_GRACE_MS, emit });
    Object.assign(kept, ended(end));
    if (this.#raises && raised !== undefined) throw raised;
    for (const follower of end.fields.then ?? []) await this.#enqueued(read(write({ jobs: [follower] }), SHAPE).jobs[0]);
    return { id, seq: kept.seq, outcome: "queued" };
  }

  /** The job as a worker would have it. */
  #item(job, id, kind, seq) {
    const now = Date.now();
    const data = job.payload === undefined && job.payload_base64 === undefined ? { payload: new JsonText("null") } : {};
    return {
      headers: {}, tags: [], priority: 0, ...data, ...job, id, kind, seq, queue: this.#queue.name, epoch: 1, attempt: 1,
      lease_ms: LEASE_MS, created_at_ms: now, run_at_ms: now,
    };
  }

  #waited(id) {
    const kept = this.#kept.get(id);
    if (kept === undefined) return { id, outcome: "unknown" };
    return { id, seq: kept.seq, ...(kept.outcome ?? { outcome: "pending", state: kept.state }) };
  }

  /** Only a job that snoozed still waits. */
  #cancelled(id) {
    const kept = this.#kept.get(id);
    if (kept === undefined) return { id, outcome: "missing" };
    if (kept.state === "queued") Object.assign(kept, { state: "cancelled", outcome: { outcome: "cancelled" } });
    return { id, outcome: kept.state === "cancelled" ? "done" : "unchanged", state: kept.state };
  }
}

/** The state of a job after an attempt, and what a wait answers. */
function ended({ event, fields }) {
  const { result, result_base64, content_type, error, cause } = fields;
  if (event === "complete") return { state: "completed", outcome: { outcome: "completed", result, result_base64, content_type } };
  if (event !== "fail") return { state: "queued" };
  return { state: "failed", outcome: { outcome: "failed", reason: cause === "terminal" ? "terminal" : "exhausted", error } };
}
