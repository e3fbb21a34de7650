/** A job that this worker holds: what its handler sees, and what the worker keeps beside. */

import { setMaxListeners } from "node:events";
import { Stopped } from "../errors.js";
import { JsonText } from "../json.js";
import { dataIn, errorIn, noteOut } from "../wire.js";
import { batchOf } from "./batch.js";

/** What a handler gets. */
export class Job {
  #item;
  #held;
  #payload;

  constructor(item, held) {
    this.#item = item;
    this.#held = held;
    this.queue = item.queue;
    this.id = item.id;
    this.seq = item.seq;
    this.epoch = item.epoch;
    this.attempt = item.attempt;
    this.kind = item.kind;
    this.priority = item.priority;
    this.headers = item.headers;
    this.tags = item.tags;
    this.partition = item.partition;
    this.createdAtMs = item.created_at_ms;
    this.runAtMs = item.run_at_ms;
    this.contentType = item.content_type ?? "application/json";
    this.lastError = errorIn(item.last_error);
    /** The batch that it is a member of; `undefined` if there is none. */
    this.batch = batchOf(item, held.members);
    /** Aborted, with a `Stopped` as its reason, when the handler should end. */
    this.signal = held.abort.signal;
  }

  /** A JSON value with exact numbers, or a `Buffer`. */
  get payload() {
    this.#payload ??= { value: dataIn(this.#item, "payload") };
    return this.#payload.value;
  }

  /** The payload as it was written; `undefined` if it is not JSON. */
  get payloadText() {
    const payload = this.#item.payload;
    return payload instanceof JsonText ? payload.toString() : undefined;
  }

  /** What an earlier attempt, or this one, noted last. */
  get progress() {
    return this.#held.progress ?? dataIn(this.#item, "progress");
  }

  /** Notes how far the job is. It is stored within about a second; the last of several wins. */
  setProgress(value) {
    this.#held.note(value);
  }

  toString() {
    return `${this.queue}/${this.id}`;
  }
}

/** A job from its claim until its settle is answered. */
export class Held {
  /** @param {any} item of the claim's answer @param {number} grantedAt steady milliseconds at which its lease began */
  constructor(item, grantedAt, onNote) {
    this.receipt = item.receipt;
    this.kind = item.kind;
    this.timeLimitMs = item.time_limit_ms;
    this.isCancelled = item.cancel_requested === true;
    this.lapsesAt = grantedAt + item.lease_ms;
    this.isRunning = true;
    this.isLost = false;
    this.abort = new AbortController();
    // A handler may give its signal to any number of calls at the same time.
    setMaxListeners(0, this.abort.signal);
    this.progress = undefined;
    this.unsent = undefined;
    /** Jobs that join the batch of this one in the step that completes it. */
    this.members = [];
    this.onNote = onNote;
    this.job = new Job(item, this);
  }

  note(value) {
    // A value that cannot be written throws here, in the handler, and not in a heartbeat.
    this.unsent = noteOut("progress", value);
    this.progress = value;
    this.onNote();
  }

  /** Asks the handler to end; the first reason stays. */
  stop(why) {
    if (!this.abort.signal.aborted) this.abort.abort(new Stopped(why));
  }

  lose() {
    this.isLost = true;
    this.stop("lease_lost");
  }
}
