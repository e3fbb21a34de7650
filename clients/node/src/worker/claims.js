/** Claims for one queue, one at a time. No claim whose answer was lost is forgotten. */

import { randomBytes } from "node:crypto";
import { QueueError } from "../errors.js";
import { Backoff, pause } from "../retry.js";
import { write } from "../write.js";

export const LIMIT_MAX = 1_000;

export class Claims {
  #connection;
  #path;
  #worker;
  #leaseMs;
  #waitMs;
  #emit;

  constructor({ connection, path, worker, leaseMs, waitMs, emit }) {
    this.#connection = connection;
    this.#path = path;
    this.#worker = worker;
    this.#leaseMs = leaseMs;
    this.#waitMs = waitMs;
    this.#emit = emit;
  }

  /**
   * The answer to one claim. It has jobs of a claim that was cut by the signal too, which are then
   * to be given back. Throws an error that repeating cannot help.
   *
   * @param {number} limit @param {AbortSignal} signal ends the waiting
   */
  async claim(limit, signal) {
    const claim = {
      worker: this.#worker,
      claim_id: randomBytes(16).toString("hex"),
      limit,
      lease_ms: this.#leaseMs,
      wait_ms: this.#waitMs,
    };
    const backoff = new Backoff();
    let error = await this.#sent(claim, signal);
    while (error instanceof Error) {
      if (error instanceof QueueError && isFinal(error)) throw error;
      const isLost = !(error instanceof QueueError) || error.certainty === "unknown";
      if (!signal.aborted) this.#emit("claim_failed", { error });
      if (isLost) return this.#found(claim, error, signal);
      await pause(backoff.afterMs(error), signal).catch(() => {});
      if (signal.aborted) return NOTHING;
      error = await this.#sent(claim, signal);
    }
    return error;
  }

  async #sent(claim, signal) {
    const sentAt = performance.now();
    try {
      const asked = { signal, waitMs: claim.wait_ms, member: "jobs" };
      const { body } = await this.#connection.call("POST", this.#path, write(claim), asked);
      // By this clock the leases began no earlier.
      body.grantedAt = sentAt + (body.waited_ms ?? 0);
      return body;
    } catch (error) {
      return error;
    }
  }

  /** What is held under a claim without an answer. Its jobs lapse if nobody asks for a lease. */
  async #found(claim, first, signal) {
    const backoff = new Backoff();
    const until = performance.now() + claim.wait_ms + this.#leaseMs;
    const repeat = { ...claim, wait_ms: 0, repeat: true };
    // The server itself gives back what a closed connection did not take, which needs a moment.
    await pause(signal.aborted ? 0 : backoff.afterMs(first), signal).catch(() => {});
    for (;;) {
      const answer = await this.#sent(repeat, undefined);
      if (!(answer instanceof Error)) return answer;
      if (isFinal(answer)) throw answer;
      this.#emit("claim_failed", { error: answer });
      // A worker that stops does not wait long for a server that is gone.
      const isEnough = performance.now() > until || (signal.aborted && answer.certainty === "not_applied");
      if (isEnough) return NOTHING;
      await pause(backoff.afterMs(answer), undefined);
    }
  }
}

const NOTHING = Object.freeze({ jobs: [], drain: false, paused: false });

/** Whether the same claim will never succeed. Damage and bugs of the server may be mended. */
function isFinal(error) {
  return ["invalid", "unauthorized", "forbidden", "not_found", "unsupported"].includes(error.kind);
}
