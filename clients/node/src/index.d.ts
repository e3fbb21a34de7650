/// <reference types="node" />

import type { Complete, JsonText, Snooze } from "./values.js";

export {
  Complete, JsonNumber, JsonText, QueueError, RetryError, Snooze, Stopped, TerminalError,
} from "./values.js";
export type { Certainty, Kind, QueueErrorInit, RetryOptions, TerminalOptions } from "./values.js";

import type { Batch, Batches, BatchOfJob, NewBatch } from "./batches.js";
export { Batch, Batches } from "./batches.js";
export type { BatchCallback, BatchChange, BatchOfJob, NewBatch, ShownBatch, UnreadableBatch } from "./batches.js";

import type { NewLimits, PartitionPage, QueueLimits } from "./limits.js";
export type { Limit, NewLimit, NewLimits, PartitionPage, QueueLimits, ShownPartition } from "./limits.js";

export { JobCancelled, JobFailed, JobMissing, JobPending, NoResult } from "./results.js";

import type { Schedules } from "./schedules.js";
export { Schedules } from "./schedules.js";
export type { NewSchedule, Schedule, ScheduleChange, Timing, UnreadableSchedule } from "./schedules.js";

import type { Counts, FailureGroup, JobBody, JobFilter, JobPage, PauseState, ShownJob } from "./shown.js";
export type { Counts, FailureGroup, JobBody, JobFilter, JobPage, ListedJob, PauseState, ShownJob, Standing } from "./shown.js";

import type { Handler, Job } from "./worker.js";
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
  /** The key of those with which it takes turns, such as a customer. */
  partition?: string | undefined;
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
  /**
   * The producer will wait for the outcome: its record is kept for at least 60 seconds after the end.
   * A wait that begins before the end says so by itself.
   */
  awaited?: boolean | undefined;
  /** The job whose trace this one continues, in a handler. */
  parent?: Job | undefined;
}

/** The options of a job, without what makes it: its kind and its payload. */
export type JobOptions = Omit<NewJob, "kind" | "payload">;

/** A function with a kind. Called, it runs here and now, without a `job`. */
export interface Task<P, R> {
  (payload: P, job?: Job): R;
  readonly kind: string;
  /** Stores a job that calls the function with this payload. */
  enqueue(payload: P, options?: JobOptions, call?: CallOptions): Promise<Enqueued>;
  /** The job of a call, for `enqueueMany`, `then`, schedules and batches. */
  job(payload: P, options?: JobOptions): NewJob;
  /** As `queue.wait`, with the type of its result. */
  wait(id: string, options?: WaitOptions): Promise<Outcome<TaskResult<R>>>;
  /** As `queue.result`, with the type of its result. */
  result(id: string, options?: WaitOptions): Promise<TaskResult<R>>;
}

/** What a function answers, as the result of its job; `unknown` if the type does not say it. */
export type TaskResult<R> = [Extract<Awaited<R>, Complete | JsonText>] extends [never] ? Exclude<Awaited<R>, Snooze> : unknown;

interface Result<R = unknown> {
  result?: R;
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

export type Outcome<R = unknown> =
  | ({ outcome: "completed"; id: string; seq?: number | bigint } & Result<R>)
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

export interface CallOptions {
  /** Ends the call with the signal's reason; whether it had its effect is unknown then. */
  signal?: AbortSignal | undefined;
}

export interface WaitOptions extends CallOptions {
  /** That of the enqueue: the wait is then about that life of the id and no other. */
  seq?: number | bigint | undefined;
  /** Default 30000; `Infinity` waits for as long as it takes. */
  timeoutMs?: number | undefined;
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
  /**
   * Makes a function a task: it stays callable, and `send.enqueue({ to: "ada" })` has a worker call
   * it. The workers of this queue that are made afterwards run it. `defaults` are options of its
   * jobs.
   */
  task<P, R>(kind: string, run: (payload: P, job?: Job) => R, defaults?: JobOptions): Task<P, R>;
  /** The handlers of the tasks, by kind. */
  readonly tasks: ReadonlyMap<string, Handler>;
  enqueue(job: NewJob, options?: CallOptions): Promise<Enqueued>;
  /**
   * Enqueues in as few calls as fit, or with `atomic` in one that stores all or none. The
   * `outcomes` of an error are those of the jobs before it.
   */
  enqueueMany(jobs: NewJob[], options?: CallOptions & { atomic?: boolean | undefined }): Promise<Enqueued[]>;
  /**
   * Waits until the job is over, or for `timeoutMs`, after which the outcome is `pending`. A service
   * that does not answer is given up five seconds later.
   */
  wait(id: string, options?: WaitOptions): Promise<Outcome>;
  /**
   * The result of a job, or a `NoResult`: `JobFailed`, `JobCancelled`, `JobMissing`, or `JobPending`
   * after `timeoutMs`.
   */
  result(id: string, options?: WaitOptions): Promise<any>;
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
   * Stops claims of the queue, or of one kind, for a time or until `resume`. Running jobs continue.
   * Needs the scope `operate`.
   */
  pause(options?: CallOptions & { kind?: string | undefined; forMs?: number | undefined }): Promise<PauseState>;
  /** Ends the pause of the queue, or of one kind, which are pauses of their own. */
  resume(options?: CallOptions & { kind?: string | undefined }): Promise<PauseState>;
  /**
   * How many jobs of a partition run at once, and how large its share is. A store without partitions
   * is a `QueueError` of the kind `unsupported`. Needs the scope `view`.
   */
  limits(options?: CallOptions): Promise<QueueLimits>;
  /** Sets limits and takes limits away, in one step and for all workers. Needs the scope `operate`. */
  setLimits(limits: NewLimits, options?: CallOptions): Promise<void>;
  /**
   * A page of the partitions with jobs that wait or run, or a limit of their own, by key: at most
   * `limit` of them, 1 to 1000 and 100 by default, behind `after`, the `next` of the page before.
   * The last page has no `next`. Needs the scope `view`.
   */
  partitions(page?: CallOptions & { limit?: number | undefined; after?: string | undefined }): Promise<PartitionPage>;
  /**
   * A job as the service shows it, or a `QueueError` of the kind `not_found`. Its keys are listed
   * in the protocol, and the same in every face. Needs the scope `view`.
   */
  get(id: string, options?: CallOptions): Promise<ShownJob>;
  /** The payload, headers, progress and result of a job. Needs the scope `payload`. */
  body(id: string, options?: CallOptions): Promise<JobBody>;
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
