/** Functions that are called here, or enqueued and called by a worker. */

import { invalid } from "./errors.js";
import { write } from "./write.js";

/** The tasks of a queue, by kind. */
export class Tasks {
  #queue;
  #handlers = new Map();

  /** @param {import("./queue.js").Queue} queue */
  constructor(queue) {
    this.#queue = queue;
  }

  /** What a worker runs, by kind. */
  get handlers() {
    return this.#handlers;
  }

  /** The function as a task: it stays callable, and has `kind`, `job` and `enqueue` beside. */
  define(kind, run, defaults = {}) {
    write(kind, { what: "the kind of a task" });
    if (typeof kind !== "string" || typeof run !== "function") {
      throw invalid('a task has a kind and a function: task("email", async ({ to }) => {})');
    }
    if (this.#handlers.has(kind)) throw invalid(`the kind ${JSON.stringify(kind)} has a task already`);
    this.#handlers.set(kind, (job) => run(job.payload, job));
    const task = (payload, job) => run(payload, job);
    const job = (payload, options = {}) => ({ ...defaults, ...options, kind, payload });
    const enqueue = (payload, options, call) => this.#queue.enqueue(job(payload, options), call);
    const wait = (id, options) => this.#queue.wait(id, options);
    const result = (id, options) => this.#queue.result(id, options);
    return Object.assign(task, { kind, job, enqueue, wait, result });
  }
}
