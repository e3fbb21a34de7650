/** Many jobs, and callbacks once all of them have ended. */

import type { CallOptions, Enqueued, NewJob } from "./index.js";

/**
 * A job that a batch enqueues: its kind, or with a payload, which is any JSON value. The job gets
 * that as `payload` beside the counts of the batch.
 */
export type BatchCallback = string | { kind: string; payload?: unknown };

/** What happens at the end of a batch, and when it ends at the latest. Unknown fields throw. */
export interface NewBatch {
  /** At the end, however the members ended. */
  onEnd?: BatchCallback | undefined;
  /** At the end, if all members completed. */
  onSuccess?: BatchCallback | undefined;
  /** At the end otherwise. */
  onFailure?: BatchCallback | undefined;
  /** As soon as a member has not completed, once. */
  onFirstFailure?: BatchCallback | undefined;
  /** The queue of the callbacks, for which the token needs `produce`. Default: that of the batch. */
  callbacksIn?: string | undefined;
  /** How long after its opening it ends at the latest. Default 7 days. */
  timeoutMs?: number | undefined;
  /** What happens then to members that have not ended. Default `cancel`. */
  onTimeout?: "cancel" | "leave" | undefined;
  /** How long members are kept after the end. Default 24 hours. */
  keepMs?: number | undefined;
}

/** A batch as docs/service/protocol.md shows it, under the names of the protocol. */
export interface ShownBatch {
  batch: string;
  seq: number | bigint;
  state: "open" | "sealed" | "cancelling" | "ended" | "abandoned";
  added: number;
  completed: number;
  failed: number;
  cancelled: number;
  /** Members that have not ended. */
  waiting: number;
  is_sealed: boolean;
  timed_out: boolean;
  was_cancelled: boolean;
  ended_at_ms: number | null;
  /** Until when its members were counted, if that ended before they did: at its time-out, or when it was abandoned. */
  counted_until_ms: number | null;
  /** When it ends at the latest; `null` once it is over. */
  timeout_at_ms: number | null;
  [name: string]: unknown;
}

/** A batch that the service cannot read: a newer version wrote it. */
export interface UnreadableBatch {
  batch: string;
  state: "unreadable";
  /** Why it cannot be read. */
  error: string;
}

/** `requested`: workers do it. */
export type BatchChange = "done" | "requested" | "unchanged";

export class Batches {
  private constructor();
  /**
   * Opens a batch, or finds the one that was opened in the same way before. One that was opened in
   * another way is a `QueueError` with the reason `batch_exists`. Needs the scope `produce`.
   */
  open(name: string, batch?: NewBatch, options?: CallOptions): Promise<Batch>;
  /** A handle on the batch of this name, without any call. */
  named(name: string): Batch;
  /** Needs the scope `view`. */
  get(name: string, options?: CallOptions): Promise<ShownBatch>;
  /** All batches, the newest first. Needs the scope `view`. */
  list(options?: CallOptions): Promise<(ShownBatch | UnreadableBatch)[]>;
}

/**
 * One batch. It takes members until it is sealed; later ones are a `QueueError` with the reason
 * `batch_sealed` or `batch_ended`. It ends once it is sealed and all members have ended.
 */
export class Batch {
  private constructor();
  readonly name: string;
  /**
   * The number of this life of the name, which is in the ids of members, such as `import-7@12/row-1`.
   * Calls of this handle touch no later batch of the name. Only `open` knows it; a handle of `named` is
   * about the batch that has the name at the time of each call.
   */
  readonly seq: number | bigint | undefined;
  /** Adds one member, see `addAll`. */
  add(job: NewJob, options?: CallOptions): Promise<Enqueued>;
  /**
   * Adds members, in as few calls as fit, each of which stores all of its jobs or none. The id of a
   * member is made of the name and the number of the batch, and the id of the job. A member that is
   * there is not added again. The `outcomes` of an error are those of the calls before it.
   */
  addAll(jobs: Iterable<NewJob>, options?: CallOptions): Promise<Enqueued[]>;
  /** Says that no more members come from outside. */
  seal(options?: CallOptions): Promise<BatchChange>;
  /** How far it is. Needs the scope `view`. */
  status(options?: CallOptions): Promise<ShownBatch>;
  /** Seals it and cancels the members that have not ended. Needs the scope `operate`. */
  cancel(options?: CallOptions): Promise<BatchChange>;
  /** Gives it up: no callback runs, and the members go on. Needs the scope `operate`. */
  abandon(options?: CallOptions): Promise<BatchChange>;
}

/** The batch of a job that runs. */
export interface BatchOfJob {
  readonly name: string;
  /**
   * Adds a member in the step that completes this job, also if the batch is sealed. Nothing is added
   * unless this job completes. The id is the part behind the name of the batch. Default: drawn.
   */
  add(job: NewJob): void;
}
