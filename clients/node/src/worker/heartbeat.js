/** Extends all leases of a worker, in one call, three times a lease. */

import { problemOf } from "../answers.js";
import { QueueError } from "../errors.js";
import { Backoff } from "../retry.js";
import { write } from "../write.js";

const ITEMS_MAX = 1_000;
/** How soon noted progress is sent. */
const PROGRESS_MS = 1_000;

export class Heartbeat {
  #connection;
  #worker;
  #leaseMs;
  #held;
  #emit;
  #onDrain;
  #timer;
  #dueAt = Infinity;
  #beating;
  #backoff = new Backoff();
  #isOver = false;

  /** @param {Set<import("./job.js").Held>} held @param {() => void} onDrain */
  constructor({ connection, worker, leaseMs, held, emit, onDrain }) {
    this.#connection = connection;
    this.#worker = worker;
    this.#leaseMs = leaseMs;
    this.#held = held;
    this.#emit = emit;
    this.#onDrain = onDrain;
    this.within(leaseMs / 3);
  }

  /** Makes the next heartbeat come at the latest in so many milliseconds. */
  within(ms) {
    const at = performance.now() + ms;
    if (this.#isOver || at >= this.#dueAt) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#due(), ms);
  }

  noted() {
    this.within(Math.min(PROGRESS_MS, this.#leaseMs / 3));
  }

  async end() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#beating;
  }

  #due() {
    this.#dueAt = Infinity;
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    this.within(Math.min(this.#leaseMs / 3, this.#lapse()));
  }

  /**
   * Stops the handlers whose leases have lapsed by this clock, since the service may have given their
   * jobs away. Answers in how many milliseconds the next one lapses.
   */
  #lapse() {
    const now = performance.now();
    let nextMs = Infinity;
    for (const held of this.#held) {
      if (!held.isRunning || held.abort.signal.aborted) continue;
      if (now >= held.lapsesAt) held.stop("lease_lost");
      else nextMs = Math.min(nextMs, held.lapsesAt - now);
    }
    return nextMs;
  }

  async #beat() {
    const running = [...this.#held].filter((held) => held.isRunning && !held.isLost);
    for (let from = 0; from < running.length; from += ITEMS_MAX) {
      await this.#extend(running.slice(from, from + ITEMS_MAX));
    }
  }

  async #extend(part) {
    const sentAt = performance.now();
    const notes = part.map((held) => held.unsent);
    const items = part.map((held, at) => ({ receipt: held.receipt, by_ms: this.#leaseMs, ...notes[at] }));
    const body = write({ worker: this.#worker, items });
    let told;
    try {
      const asked = { answerMs: this.#leaseMs / 3, member: "items", length: part.length };
      ({ body: told } = await this.#connection.call("POST", "/v1/extend", body, asked));
    } catch (error) {
      if (!(error instanceof QueueError)) throw error;
      this.#emit("extend_failed", { error, jobs: part.length });
      this.#again(error);
      return;
    }
    this.#backoff.reset();
    part.forEach((held, at) => {
      if (held.isRunning) this.#extended(held, told.items[at], notes[at], sentAt);
    });
    if (told.drain) this.#onDrain();
  }

  #extended(held, answer, note, sentAt) {
    switch (answer?.outcome) {
      case "done":
        held.lapsesAt = sentAt + answer.lease_ms;
        if (held.unsent === note) held.unsent = undefined;
        if (answer.cancel_requested) {
          held.isCancelled = true;
          held.stop("cancel_requested");
        }
        break;
      case "lease_lost":
      case "missing":
        this.#emit("lease_lost", { job: held.job });
        held.lose();
        break;
      case "refused":
        if (answer.problem?.reason === "other_key") {
          // Behind a balancer the next call may reach a server that has the key.
          this.#emit("extend_failed", { error: problemOf(answer.problem, answer.problem.status), jobs: 1 });
          this.#again();
          break;
        }
        this.#emit("extend_refused", { job: held.job, detail: answer.problem?.detail });
        // Too large a note must not cost the lease.
        if (held.unsent === note) held.unsent = undefined;
        if (note !== undefined) this.within(0);
        break;
      default:
        this.#again();
    }
  }

  /** Soon enough for several more tries before leases lapse, whatever the service asks for. */
  #again(error) {
    this.within(Math.min(this.#backoff.afterMs(error), this.#leaseMs / 10));
  }
}
