/** Sends outcomes in batches, until each has the verdict of the service. */

import { setMaxListeners } from "node:events";
import { problemOf } from "../answers.js";
import { QueueError, unavailable } from "../errors.js";
import { Backoff, pause } from "../retry.js";
import { write } from "../write.js";

/** How long the first outcome of a batch waits for others. */
const GATHER_MS = 50;
const ITEMS_MAX = 100;
/** What the service may mend while a worker goes on. */
const FAULTS = ["internal", "corrupt"];
/** The most text of one batch; the service takes 8 MiB. An outcome may be larger by itself. */
const BYTES_MAX = 4 << 20;

export class Settles {
  #connection;
  #emit;
  #waiting = [];
  #timer;
  #isEager;
  #end = new AbortController();

  /** @param {() => boolean} isEager nobody else can end soon, so that waiting gathers nothing */
  constructor(connection, emit, isEager) {
    this.#connection = connection;
    this.#emit = emit;
    this.#isEager = isEager;
    // One listener for each call under way, which are as many as the worker has slots.
    setMaxListeners(0, this.#end.signal);
  }

  /** Gives up what has no answer yet. */
  end() {
    this.#end.abort(unavailable("the worker has ended"));
  }

  /**
   * Resolves to the outcome of the settle: `done`, `lease_lost`, `missing`, `refused`, or `abandoned`
   * if the worker ended before, or the service refuses the token. The end of the lease ends nothing:
   * another worker may not have the job yet, and the service says so if it has.
   */
  settle(held, event, fields) {
    const { promise, resolve } = withResolvers();
    this.#waiting.push({ held, resolve, ...written(held, event, fields) });
    if (this.#waiting.length >= ITEMS_MAX || this.#isEager()) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
    return promise;
  }

  #flush() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0) {
      void this.#send(this.#batch());
    }
  }

  #batch() {
    let bytes = 0;
    let count = 0;
    for (const item of this.#waiting) {
      bytes += item.text.length;
      if (count === ITEMS_MAX || (count > 0 && bytes > BYTES_MAX)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #send(batch) {
    const backoff = new Backoff();
    let left = batch;
    while (left.length > 0) {
      let lastError;
      try {
        const body = `{"items":[${left.map((item) => item.text).join()}]}`;
        const asked = { signal: this.#end.signal, member: "items", length: left.length };
        const { body: told } = await this.#connection.call("POST", "/v1/settle", body, asked);
        left = left.filter((item, at) => this.#isOpen(item, told.items[at]));
      } catch (error) {
        if (error.kind === "invalid") return this.#divided(left, error);
        for (const item of left) item.isRepeated ||= error.certainty === "unknown";
        this.#emit("settle_failed", { error, jobs: left.length });
        const isFault = FAULTS.includes(error.kind);
        // It may be of one outcome, which must not hold up the others.
        if (isFault && left.length > 1) return this.#halves(left);
        if (!isFault && !error.isTemporary) return abandon(left);
        lastError = error;
      }
      if (this.#end.signal.aborted) return abandon(left);
      if (left.length > 0) await this.#pause(backoff.afterMs(lastError));
    }
  }

  /** The call as a whole was refused: the other outcomes must not suffer for the one at fault. */
  async #divided(batch, error) {
    await (batch.length > 1 ? this.#halves(batch) : this.#failed(batch[0], error.message, error));
  }

  async #halves(batch) {
    const half = batch.length >> 1;
    await Promise.all([this.#send(batch.slice(0, half)), this.#send(batch.slice(half))]);
  }

  /** Takes an answer, and says whether the item must be sent again. */
  #isOpen(item, answer) {
    switch (answer?.outcome) {
      case "conflict":
        return true;
      case "refused":
        void this.#refused(item, answer.problem);
        return false;
      case "missing":
        // The settle that had no answer may have removed the job.
        item.resolve(item.isRepeated ? "done" : "missing");
        return false;
      default:
        item.resolve(answer?.outcome ?? "refused");
        return false;
    }
  }

  async #refused(item, problem) {
    const error = problemOf(problem, problem?.status)
      ?? new QueueError({ kind: "internal", certainty: "not_applied", detail: "an item was refused without a reason" });
    if (error.isTemporary) {
      item.backoff ??= new Backoff();
      await this.#pause(item.backoff.afterMs(error));
      await this.#send([item]);
    } else if (error.kind === "invalid" && error.reason !== "other_key") {
      await this.#failed(item, problem.detail ?? "", error);
    } else {
      this.#emit("settle_refused", { error, job: item.held.job });
      item.resolve("refused");
    }
  }

  /** What the handler answered cannot be stored, and no attempt will change that. */
  async #failed(item, message, error) {
    this.#emit("settle_refused", { error, job: item.held.job });
    if (item.event === "fail") {
      item.resolve("refused");
      return;
    }
    await this.#send([{ ...item, ...unstorable(item.held, message) }]);
  }

  #pause(ms) {
    return pause(ms, this.#end.signal).catch(() => {});
  }
}

function abandon(batch) {
  for (const item of batch) item.resolve("abandoned");
}

function written(held, event, fields) {
  try {
    return { event, text: write({ receipt: held.receipt, [event]: fields }) };
  } catch (error) {
    return unstorable(held, error.message);
  }
}

function unstorable(held, message) {
  const fail = { cause: "terminal", error: { name: "Unstorable", message } };
  return { event: "fail", text: write({ receipt: held.receipt, fail }) };
}

export function withResolvers() {
  let resolve;
  let reject;
  const promise = new Promise((ok, no) => {
    resolve = ok;
    reject = no;
  });
  return { promise, resolve, reject };
}
