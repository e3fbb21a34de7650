/** What the service shows of jobs and queues. */

import type { JobError, Keep, State } from "./index.js";

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

/** A job of a listing, under the names of docs/service/protocol.md. Times are those of the store. */
export interface ListedJob {
  queue: string;
  id: string;
  seq: number | bigint;
  revision: number | bigint;
  kind: string;
  tags: string[];
  /** Absent on a store without partitions, and from a job without one. */
  partition?: string | null;
  state: State;
  /** It waits for its time. */
  scheduled: boolean;
  /** It waits, and its time to start is over. */
  expired: boolean;
  priority: number;
  attempts_made: number;
  failures: number;
  stalls: number;
  max_attempts: number | "unlimited" | null;
  max_stalls: number | "unlimited" | null;
  keep_completed: Keep | null;
  keep_failed: Keep | null;
  /** The kind of the job that is enqueued if this one becomes Failed. */
  on_failure: string | null;
  epoch: number;
  created_at_ms: number;
  run_at_ms: number;
  /** Since when it has its state. */
  entered_at_ms: number;
  claimed_at_ms: number | null;
  failed_at_ms: number | null;
  finished_at_ms: number | null;
  /** When its record is removed. */
  purge_at_ms: number | null;
  expires_at_ms: number | null;
  time_limit_ms: number | null;
  wait_ms: number | null;
  run_ms: number | null;
  cancel_requested: boolean;
  awaited: boolean;
  /** Why it is Failed or Cancelled. */
  reason: string | null;
  error: { name: string; message: string } | null;
  /** The worker that holds it. */
  worker: string | null;
  lease_expires_at_ms: number | null;
  /** Of a job that waits for the ends of others. */
  gate?: { needs: number; signals: number; completed: number; failed: number; cancelled: number; sealed: boolean; closed: boolean };
}

/** A job as `get` shows it. */
export interface ShownJob extends ListedJob {
  now_ms: number;
  /** Why a job that waits is not claimed. */
  pauses: { of: "queue" | "kind"; until_ms: number | null }[];
  /** Of a due job whose partition is full: the leases of the partition, and how many may be. */
  waits_for_slot?: { leases: number; running: number };
  /** The last ten attempts that failed or stalled, where the store keeps them. */
  attempt_log?: {
    epoch: number; worker: string; claimed_at_ms: number | null; ended_at_ms: number;
    outcome: "failed" | "stalled"; error: { name: string; message: string } | null;
  }[];
}

/** What a job holds: JSON values with exact numbers, text that is not JSON, or a `Buffer`. */
export interface JobBody {
  id: string;
  seq: number | bigint;
  state: State;
  error?: JobError;
  headers: Record<string, string>;
  payload?: any;
  /** Of a Completed job. */
  result?: any;
  /** What its handler noted last by `job.setProgress`. */
  progress?: any;
  /** The details of `error`: those of the handler, or `{ stack }`. */
  errorDetails?: any;
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
  partition?: string | undefined;
  idPrefix?: string | undefined;
  /** Default `oldest`. */
  order?: "oldest" | "newest" | undefined;
  /** 1 to 1000. Default 50. */
  limit?: number | undefined;
  /** The `next` of the page before, with the same filter. */
  after?: string | undefined;
}

export interface JobPage {
  jobs: ListedJob[];
  next?: string;
}

export interface PauseState {
  paused: boolean;
  /** By the clock of the store; absent in a pause that lasts until it is resumed. */
  untilMs?: number;
}
