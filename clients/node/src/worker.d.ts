/** Works on the jobs of a queue. */

import type { BatchOfJob } from "./batches.js";
import type { Connection, ConnectionOptions, Data, JobError, Queue } from "./index.js";

/** What a handler gets. */
export class Job {
  private constructor();
  readonly queue: string;
  readonly id: string;
  readonly seq: number | bigint;
  /** With `seq`, fences other resources: it only grows. */
  readonly epoch: number;
  /** Counted from one. */
  readonly attempt: number;
  readonly kind: string;
  readonly priority: number;
  readonly headers: Record<string, string>;
  readonly tags: string[];
  /** The partition in which it took its turn, if it has one. */
  readonly partition: string | undefined;
  /** Store time. */
  readonly createdAtMs: number;
  /** Store time. */
  readonly runAtMs: number;
  readonly contentType: string;
  readonly lastError: JobError | undefined;
  /** The batch that it is a member of. */
  readonly batch: BatchOfJob | undefined;
  /** Aborted, with a `Stopped` as its reason, when the handler should end. */
  readonly signal: AbortSignal;
  /** A JSON value with exact numbers, or a `Buffer`. */
  readonly payload: any;
  /** The payload as it was written, if it is JSON. */
  readonly payloadText: string | undefined;
  readonly progress: unknown;
  /** Stored within about a second; the last of several wins. At most 16 KiB. */
  setProgress(value: Data): void;
}

/** What it returns is the result. What it throws is a failed attempt. */
export type Handler = (job: Job) => unknown | Promise<unknown>;

export type WorkerEvent =
  | "started" | "ended" | "settled" | "not_settled" | "job_failed" | "unknown_kind" | "lease_lost" | "drain"
  | "claim_failed" | "extend_failed" | "extend_refused" | "settle_failed" | "settle_refused"
  | "result_refused" | "handler_abandoned";

export interface WorkerTuning {
  /** Jobs at the same time. Default 10. */
  concurrency?: number | undefined;
  /** 1000 to 3600000. Default 30000. A process that is blocked for this long loses its jobs. */
  leaseMs?: number | undefined;
  /** How long a claim waits at the service: 0 to 60000. Default 20000. */
  waitMs?: number | undefined;
  /** How long handlers may go on after a stop. Default 20000. */
  graceMs?: number | undefined;
  /** How long an aborted handler has to end, before its job is given back without it. Default 5000. */
  abortGraceMs?: number | undefined;
  /**
   * How many milliseconds an attempt that failed waits for the next one, unless its error is a
   * `RetryError` with a delay. Where it returns no number the service decides: 1 s, doubling to 6 h.
   */
  retry?: ((attempt: number, error: unknown) => number | undefined) | undefined;
  /** For jobs without a limit of their own. Default: none. */
  timeLimitMs?: number | undefined;
  /** SIGTERM and SIGINT stop it; at the second one it waits for no handler. Default true. */
  signals?: boolean | undefined;
  /** Operators see it and may ask it to drain. Default true. */
  announce?: boolean | undefined;
  /** The name of this run; fresh for every start. Default: host, process and random digits. */
  name?: string | undefined;
  /** Default: a line on standard error for what went wrong. */
  onEvent?: ((event: WorkerEvent, details: { job?: Job; error?: unknown; [name: string]: unknown }) => void) | undefined;
}

export type WorkerOptions = WorkerTuning & (ConnectionOptions | { connection: Connection });

export class Worker {
  constructor(queue: string, handlers: Record<string, Handler> | Map<string, Handler>, options: WorkerOptions);
  /** Its handlers are these, and the tasks that the queue has by then. Unknown options throw. */
  constructor(queue: Queue, handlers?: Record<string, Handler> | Map<string, Handler>, options?: WorkerTuning);
  readonly name: string;
  /** The name of its queue. */
  readonly queue: string;
  readonly running: number;
  /**
   * Works until `stop`, a signal or an operator ends it. Rejects with an error that repeating cannot
   * help, such as a token that is refused. A worker runs once: a second call rejects.
   */
  run(): Promise<void>;
  /** Claims nothing more, lets handlers end for `graceMs`, and gives back the rest, uncharged. A second call may shorten the grace. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
}
