/** What the service shows of jobs and queues. */

import type { State } from "./index.js";

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
  jobs: Omit<ShownJob, "now_ms" | "pauses">[];
  next?: string;
}

export interface PauseState {
  paused: boolean;
  /** By the clock of the store; absent in a pause that lasts until it is resumed. */
  untilMs?: number;
}
