/** For tests of programs that enqueue: jobs run at once, in this process, without any service. */

import type { Handler, Job, Queue } from "./index.js";

export interface EagerOptions {
  /** By kind, beside the tasks of the queue. */
  handlers?: Record<string, Handler> | Map<string, Handler> | undefined;
  /**
   * What a handler throws comes out of the enqueue. With `false` its job is Failed instead, after one
   * attempt. Default true.
   */
  raises?: boolean | undefined;
}

/**
 * From here on each enqueue into the queue runs its job before it resolves, until `end` is called.
 *
 * Payloads and results go through JSON as they would, an id that is taken is found, and `wait` has
 * the outcome. Delays, priorities and expiry have no effect; a job that snoozes stays `queued`. Other
 * calls, such as batches and schedules, are a `QueueError` of the kind `unsupported`.
 */
export function eager(queue: Queue, options?: EagerOptions): {
  /** The jobs that ran, in the order of their starts. */
  readonly ran: readonly Job[];
  /** The queue asks its service again. */
  end(): void;
};
