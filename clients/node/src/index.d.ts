/// <reference types="node" />

import type { JsonText } from "./values.js";

export {
  Complete, JsonNumber, JsonText, QueueError, RetryError, Snooze, Stopped, TerminalError,
} from "./values.js";
export type { Certainty, Kind, QueueErrorInit, RetryOptions, TerminalOptions } from "./values.js";

import type { Batch, Batches, BatchOfJob, NewBatch } from "./batches.js";
export { Batch, Batches } from "./batches.js";
export type { BatchCallback, BatchChange, BatchOfJob, NewBatch, ShownBatch, UnreadableBatch } from "./batches.js";

import type { Schedules } from "./schedules.js";
export { Schedules } from "./schedules.js";
export type { NewSchedule, Schedule, ScheduleChange, Timing, UnreadableSchedule } from "./schedules.js";

import type { Job } from "./worker.js";
export { Job, Worker } from "./worker.js";
export type { Handler, WorkerEvent, WorkerOptions, WorkerTuning } from "./worker.js";

/** A length of time in milliseconds, or for ever, or not at all. */
export type Keep = number | "forever" | "nothing";

/**
 * A JSON value with exact numbers, or bytes. What JSON cannot say, or would change without a word,
 * is refused: see Data in the README.
 */
export type Data = unknown | Uint8Array | JsonText;

export interface ConnectionOptions {
  /** `https://host`, `http://127.0.0.1:8080`, or `unix:/path/of/socket`; a path prefix is kept. */
  url: string;
  /** The token itself. Prefer `tokenFile`. */
  token?: string | undefined;
  /** A file with the token, read at the first call and again when the service refuses it. */
  tokenFile?: string | undefined;
  /** Sends a token to another machine without TLS. Default: refused. */
  plaintext?: boolean | undefined;
  /** For https: authorities, and the certificate and key of this client, in PEM. */
  tls?: { ca?: string | Buffer; cert?: string | Buffer; key?: string | Buffer; servername?: string } | undefined;
  /** How long an answer may take beyond the wait that was asked for. Default 30000. */
  answerMs?: number | undefined;
}

/** Kept connections to one service. Queues and workers may share one. */
export class Connection {
  constructor(options: ConnectionOptions);
  /** One request, without repeats. Throws `QueueError`. */
  call(
    method: string, path: string, body?: string,
    options?: { signal?: AbortSignal | undefined; waitMs?: number; answerMs?: number; member?: string; length?: number },
  ): Promise<{ status: number; body: any }>;
  close(): void;
}

interface QueueTuning {
  /** How long calls are repeated before they throw. Default 30000. */
  retryMs?: number | undefined;
  /** The W3C trace context of the caller, asked at every enqueue. */
  traceparent?: (() => string | undefined) | undefined;
  /** Draws ids of jobs that have none. Default: 32 random hexadecimal digits. */
  drawId?: (() => string) | undefined;
}

export type QueueOptions = QueueTuning & (ConnectionOptions | { connection: Connection });

/** A job to enqueue. Unknown fields throw. */
export interface NewJob {
  /** The id within the queue, which is the deduplication key: 1 to 255 bytes. Default: drawn. */
  id?: string | undefined;
  /** Selects the handler. Default `"default"`. */
  kind?: string | undefined;
  /** Any JSON value, `bigint` too; a `JsonText` as it is written; or bytes. Default `null`. */
  payload?: Data;
  /** Of bytes only. Default `"application/octet-stream"`. */
  contentType?: string | undefined;
  /** At most 16, 4 KiB together. */
  headers?: Record<string, string> | undefined;
  /** At most 8 of 64 bytes. */
  tags?: string[] | undefined;
  /** -32768 to 32767; lower is claimed first. Default 0. */
  priority?: number | undefined;
  /** Not claimed before. At most 100 years. */
  delayMs?: number | undefined;
  /** Cancelled if it has not started by then. */
  expiresInMs?: number | undefined;
  /** How long a handler may run. */
  timeLimitMs?: number | undefined;
  /** Failures at which it is Failed. Default 25. */
  maxAttempts?: number | "unlimited" | undefined;
  /** Lapsed leases at which it is Failed. Default 3. */
  maxStalls?: number | "unlimited" | undefined;
  /** Default one hour. */
  keepCompleted?: Keep | undefined;
  /** For Failed and Cancelled. Default seven days. */
  keepFailed?: Keep | undefined;
  onFailed?: "block" | "replace" | undefined;
  onWaiting?: "block" | "replace" | undefined;
  maxWaitMs?: number | undefined;
  /** The kind of a job that is enqueued if this one becomes Failed. */
  onFailure?: string | undefined;
  /** The producer will wait for the outcome. */
  awaited?: boolean | undefined;
  /** The job whose trace this one continues, in a handler. */
  parent?: Job | undefined;
}

interface Result {
  result?: unknown;
  /** The result as it was written, if it is JSON. */
  resultText?: string;
  contentType?: string;
}

export type State = "queued" | "processing" | "failing" | "completed" | "failed" | "cancelled";

export interface Enqueued extends Result {
  id: string;
  seq: number | bigint;
  /** `completed`: the id is taken by a Completed job, whose result is here if the answer had room. */
  outcome: "queued" | "duplicate" | "completed";
  state?: State;
  /**
   * An earlier sending of this call had no answer and may have stored the job. A `duplicate` of an
   * id that you chose may then be your own job.
   */
  isResent: boolean;
}

export interface JobError {
  name: string;
  message: string;
  details?: unknown;
}

export type Outcome =
  | ({ outcome: "completed"; id: string; seq?: number | bigint } & Result)
  | {
      outcome: "failed"; id: string; seq?: number | bigint; error?: JobError;
      reason?: "exhausted" | "terminal" | "stalled" | "unknown_kind" | "undecodable";
    }
  | { outcome: "cancelled"; id: string; seq?: number | bigint; reason?: "expired" }
  | { outcome: "superseded" | "expired" | "unknown"; id: string; seq?: number | bigint }
  | { outcome: "pending"; id: string; seq?: number | bigint; state: State };

export interface Changed {
  id: string;
  outcome: "done" | "requested" | "unchanged" | "missing" | "conflict";
  state?: State;
  isResent: boolean;
}

/**
 * Jobs of one kind that failed with one error. Messages count as equal if they differ only in
 * numbers, hexadecimals, UUIDs and quoted text. The times are those of the store.
 */
export interface FailureGroup {
  queue: string;
  kind: string;
  error: { name: string; message: string };
  failed: number;
  /** How many wait to run again. */
  failing: number;
  firstAtMs: number;
  lastAtMs: number;
  /** The ids of the newest, at most three. */
  examples: string[];
}

/** A job as the protocol shows it: the keys are listed there, and it may grow. */
export interface ShownJob {
  now_ms: number;
  queue: string;
  id: string;
  seq: number | bigint;
  epoch: number;
  kind: string;
  state: State;
  attempts_made: number;
  pauses: { of: "queue" | "kind"; until_ms: number | null }[];
  [name: string]: unknown;
}

/** The jobs of a queue by state, and more: see the protocol. */
export interface Counts {
  queue: string;
  paused: boolean;
  paused_until_ms: number | null;
  queued: number;
  processing: number;
  failing: number;
  completed: number;
  failed: number;
  cancelled: number;
  total: number;
  /** That a worker could claim now. */
  due: number;
  [name: string]: unknown;
}

/** How jobs stand in a listing: states, and by the time at which they are due. */
export type Standing = State | "due" | "scheduled" | "parked" | "gated" | "lapsed";

export interface JobFilter {
  /** Default: all. */
  state?: Standing | Standing[] | undefined;
  kind?: string | undefined;
  tag?: string | undefined;
  idPrefix?: string | undefined;
  /** Default `oldest`. */
  order?: "oldest" | "newest" | undefined;
  /** 1 to 1000. Default 50. */
  limit?: number | undefined;
  /** The `next` of the page before, with the same filter. */
  after?: string | undefined;
}

export interface JobPage {
  jobs: Omit<ShownJob, "now_ms" | "pauses">[];
  next?: string;
}

export interface PauseState {
  paused: boolean;
  /** By the clock of the store; absent in a pause that lasts until it is resumed. */
  untilMs?: number;
}

export interface CallOptions {
  /** Ends the call with the signal's reason; whether it had its effect is unknown then. */
  signal?: AbortSignal | undefined;
}

export class Queue {
  constructor(name: string, options: QueueOptions);
  /** The schedules of this queue. */
  readonly schedules: Schedules;
  /** The batches of this queue. */
  readonly batches: Batches;
  /** Opens a batch, see `Batches.open`. */
  batch(name: string, batch?: NewBatch, options?: CallOptions): Promise<Batch>;
  readonly name: string;
  readonly connection: Connection;
  enqueue(job: NewJob, options?: CallOptions): Promise<Enqueued>;
  /**
   * Enqueues in as few calls as fit, or with `atomic` in one that stores all or none. The
   * `outcomes` of an error are those of the jobs before it.
   */
  enqueueMany(jobs: NewJob[], options?: CallOptions & { atomic?: boolean | undefined }): Promise<Enqueued[]>;
  /**
   * Waits until the job is over, or for `timeoutMs` (default: for ever), after which the outcome is
   * `pending`. With the `seq` of its enqueue it is about that life of the id.
   */
  wait(
    id: string,
    options?: CallOptions & { seq?: number | bigint | undefined; timeoutMs?: number | undefined },
  ): Promise<Outcome>;
  /**
   * Cancels a job that waits: `done`. One that runs is left alone, and the answer is `unchanged`
   * with the state `processing`; with `request` its handler is asked to stop, and the answer is
   * `requested`: the job becomes Cancelled if the handler stops, and Completed if it returns. One
   * that has completed or failed is `unchanged`. Needs the scope `operate`.
   */
  cancel(id: string, options?: CallOptions & { processing?: "leave" | "request" | undefined }): Promise<Changed>;
  cancelMany(ids: string[], options?: CallOptions & { processing?: "leave" | "request" | undefined }): Promise<Changed[]>;
  /** Runs a Failed or Cancelled job again, with fresh budgets. Needs the scope `operate`. */
  redrive(id: string, options?: CallOptions): Promise<Changed>;
  redriveMany(ids: string[], options?: CallOptions): Promise<Changed[]>;
  /**
   * Stops claims of the queue, or of one kind, for a time or until `resume`. Jobs that run go on.
   * Needs the scope `operate`.
   */
  pause(options?: CallOptions & { kind?: string | undefined; forMs?: number | undefined }): Promise<PauseState>;
  /** Ends the pause of the queue, or of one kind, which are pauses of their own. */
  resume(options?: CallOptions & { kind?: string | undefined }): Promise<PauseState>;
  /**
   * A job as the service shows it, or a `QueueError` of the kind `not_found`. Its keys are listed
   * in the protocol, and the same in every face. Needs the scope `view`.
   */
  get(id: string, options?: CallOptions): Promise<ShownJob>;
  /**
   * How many jobs there are in each state. A queue that never had a job is a `QueueError` of the
   * kind `not_found`. Needs the scope `view`.
   */
  counts(options?: CallOptions): Promise<Counts>;
  /**
   * A page of jobs. Unknown filters throw. A page may have fewer jobs than `limit` and not be the
   * last: that one has no `next`. Needs the scope `view`.
   */
  list(filter?: CallOptions & JobFilter): Promise<JobPage>;
  /**
   * What fails, in groups, the largest first: of the newest 1,000 failed jobs and as many failing
   * ones. Needs the scope `view`.
   */
  failures(options?: CallOptions): Promise<FailureGroup[]>;
  close(): void;
}
