/** When a call is sent again, and after how long. Every request of the protocol may be repeated. */

import { setTimeout as sleep } from "node:timers/promises";
import { QueueError } from "./errors.js";

const FIRST_MS = 100;
const MOST_MS = 5_000;
/** The longest wait that an answer can ask for. */
const ASKED_MS = 60_000;

/** Waits that double, each drawn between half of itself and the whole. */
export class Backoff {
  #nextMs = FIRST_MS;

  /** How long to wait now, at least what the server asks for. */
  afterMs(error) {
    const ms = this.#nextMs * (0.5 + Math.random() / 2);
    this.#nextMs = Math.min(MOST_MS, this.#nextMs * 2);
    // Many clients are told the same time, and must not all come back at it.
    const asked = Math.min(error?.retryAfterMs ?? 0, ASKED_MS) * (1 + Math.random() / 4);
    return Math.max(ms, asked);
  }

  reset() {
    this.#nextMs = FIRST_MS;
  }
}

/** Ends early, with the signal's reason, if that is aborted. */
export async function pause(ms, signal) {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    signal?.throwIfAborted();
  }
}

/**
 * Sends until an answer comes that is not temporary, or for `retryMs`, after which the last error is
 * thrown. An error says `unknown` if any of the sendings may have had its effect. What the service
 * was asked to wait does not count, so an answer that is lost at the end of it is asked for again.
 *
 * @template T
 * @param {number} retryMs
 * @param {AbortSignal | undefined} signal
 * @param {(before: {isResent: boolean}) => Promise<T>} send `isResent`: an earlier sending may have had its effect
 * @param {{waitMs?: number, lastMs?: number}} [bounds] how long each sending may wait for its answer; the most for all
 * @returns {Promise<T>}
 */
export async function retried(retryMs, signal, send, { waitMs = 0, lastMs = Infinity } = {}) {
  const backoff = new Backoff();
  const begun = performance.now();
  let until = begun + retryMs;
  let isUnknown = false;
  for (;;) {
    const sentAt = performance.now();
    try {
      return await send({ isResent: isUnknown });
    } catch (error) {
      if (!(error instanceof QueueError)) throw error;
      isUnknown ||= error.certainty === "unknown";
      if (isUnknown) error.certainty = "unknown";
      if (!error.isTemporary) throw error;
      const ms = backoff.afterMs(error);
      const now = performance.now();
      until += Math.min(now - sentAt, waitMs);
      if (now + ms > Math.min(until, begun + lastMs)) throw error;
      await pause(ms, signal);
    }
  }
}
