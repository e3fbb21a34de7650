/** The batches of a queue: many jobs each, and callbacks once all of them have ended. */

import { segment } from "./connection.js";
import { invalid, onlyNames, QueueError } from "./errors.js";
import { dataOut } from "./wire.js";
import { write } from "./write.js";

const CALLBACKS = {
  onEnd: "on_end",
  onSuccess: "on_success",
  onFailure: "on_failure",
  onFirstFailure: "on_first_failure",
};
const FIELDS = {
  ...CALLBACKS,
  callbacksIn: "callbacks_in",
  timeoutMs: "timeout_ms",
  onTimeout: "on_timeout",
  keepMs: "keep_ms",
};

export class Batches {
  #sender;
  #path;

  /** Made by a queue. */
  constructor(sender, path) {
    this.#sender = sender;
    this.#path = `${path}/batches`;
  }

  async open(name, batch = {}, options) {
    const path = this.#pathOf(name);
    const { seq } = await this.#sender.call("PUT", path, write(fieldsOut(batch)), "seq", options);
    return new Batch(this.#sender, path, name, seq);
  }

  named(name) {
    return new Batch(this.#sender, this.#pathOf(name), name, undefined);
  }

  async get(name, options) {
    return this.named(name).status(options);
  }

  async list(options) {
    const all = [];
    let query = "";
    for (;;) {
      const page = await this.#sender.call("GET", this.#path + query, undefined, "batches", options);
      const { batches, unreadable = [], next } = page;
      all.push(...batches, ...unreadable.map((one) => ({ ...one, state: "unreadable" })));
      if (next === undefined || next === null) return all;
      query = `?${new URLSearchParams({ after: next })}`;
    }
  }

  #pathOf(name) {
    return `${this.#path}/${segment(name)}`;
  }
}

export class Batch {
  #sender;
  #path;

  /** Made by `Batches`. */
  constructor(sender, path, name, seq) {
    this.#sender = sender;
    this.#path = path;
    this.name = name;
    this.seq = seq;
  }

  async add(job, options) {
    const [outcome] = await this.addAll([job], options);
    return outcome;
  }

  async addAll(jobs, options = {}) {
    onlyNames("addAll", "option", options, ["signal"]);
    return this.#sender.store(`${this.#path}/jobs`, jobs, { seq: this.seq }, options);
  }

  async seal(options) {
    return this.#change("seal", options);
  }

  async status(options) {
    const found = await this.#sender.call("GET", this.#path, undefined, "batch", options);
    if (this.seq === undefined || this.seq === found.seq) return found;
    const detail = "there is a later batch of this name";
    throw new QueueError({ kind: "not_found", certainty: "not_applied", detail, status: 404, reason: "no_batch" });
  }

  async cancel(options) {
    return this.#change("cancel", options);
  }

  async abandon(options) {
    return this.#change("abandon", options);
  }

  async #change(change, options) {
    const body = write({ seq: this.seq });
    return (await this.#sender.call("POST", `${this.#path}/${change}`, body, "outcome", options)).outcome;
  }
}

function fieldsOut(batch) {
  onlyNames("a batch", "option", batch, Object.keys(FIELDS));
  const out = {};
  for (const [name, value] of Object.entries(batch)) {
    if (value !== undefined) out[FIELDS[name]] = Object.hasOwn(CALLBACKS, name) ? callbackOut(value) : value;
  }
  return out;
}

/** A job that the batch enqueues: its kind alone, or with a payload. */
function callbackOut(callback) {
  if (typeof callback === "string") return { kind: callback };
  if (typeof callback !== "object" || callback === null) throw invalid("a callback is a kind, or has one and a payload");
  onlyNames("a callback", "field", callback, ["kind", "payload"]);
  const { kind, payload } = callback;
  if (payload instanceof Uint8Array) throw invalid("the payload of a callback is JSON, and not bytes");
  return { kind, ...dataOut("payload", payload) };
}
