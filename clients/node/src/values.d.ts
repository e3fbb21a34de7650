/** What is thrown, what handlers answer, and JSON values that JavaScript has no type for. */

import type { Data, Enqueued, Keep, NewJob } from "./index.js";

export type Kind =
  | "invalid" | "unauthorized" | "forbidden" | "not_found" | "conflict" | "too_many"
  | "unsupported" | "unavailable" | "closed" | "corrupt" | "internal";

export type Certainty = "not_applied" | "unknown";

export interface QueueErrorInit {
  kind: Kind;
  certainty: Certainty;
  detail: string;
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  reason?: string | undefined;
  cause?: unknown;
}

/** A call that did not succeed. Lost leases, missing jobs and taken ids are outcomes, and not thrown. */
export class QueueError extends Error {
  constructor(init: QueueErrorInit);
  readonly kind: Kind;
  /** Of all sendings of the call together. */
  readonly certainty: Certainty;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** Why, where a program acts on more than the kind: `batch_exists`, `batch_sealed` and others. */
  readonly reason: string | null;
  readonly outcomes: Enqueued[];
  readonly isTemporary: boolean;
}

export interface TerminalOptions {
  name?: string | undefined;
  details?: Data;
  keep?: Keep | undefined;
  then?: NewJob[] | undefined;
  cause?: unknown;
}

export interface RetryOptions {
  name?: string | undefined;
  delayMs?: number | undefined;
  details?: Data;
  cause?: unknown;
}

/** Thrown by a handler: no further attempt can help. */
export class TerminalError extends Error {
  constructor(message: string, options?: TerminalOptions);
}

/** Thrown by a handler: the attempt failed, and the next one comes after `delayMs`. */
export class RetryError extends Error {
  constructor(message: string, options?: RetryOptions);
}

/** Thrown or returned by a handler: runs again after the delay, and no attempt is charged. */
export class Snooze extends Error {
  constructor(delayMs: number, options?: { progress?: Data });
}

/** Returned by a handler that has more to say than a result. */
export class Complete {
  private readonly brand: "Complete";
  constructor(result?: Data, options?: { contentType?: string | undefined; keep?: Keep | undefined; then?: NewJob[] | undefined });
}

/** The reason of `job.signal`. */
export class Stopped extends Error {
  readonly why: "lease_lost" | "cancel_requested" | "time_limit" | "shutdown";
}

/** A number whose digits neither a double nor a `bigint` holds. `Number(it)` is the nearest double. */
export class JsonNumber {
  constructor(text: string);
  toString(): string;
  valueOf(): number;
}

/** A JSON value as text, sent exactly as it is. */
export class JsonText {
  /** Throws a `QueueError` if this is not JSON, or has half of a surrogate pair. */
  constructor(text: string);
  toString(): string;
  parse(): unknown;
}
