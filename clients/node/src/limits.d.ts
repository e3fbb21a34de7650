/** Partitions of a queue, and their limits. */

/** How many jobs of a partition run at once, and how large its share is. */
export interface Limit {
  /** The most of its jobs that are leased at once: 0 pauses it, and `null` is no limit. */
  running: number | null;
  /** How many jobs it gets for one of a partition of weight 1. */
  weight: number;
}

/** A limit to set, as a whole. */
export interface NewLimit {
  /** Default: no limit. */
  running?: number | null | undefined;
  /** 1 to 1000. Default 1. */
  weight?: number | undefined;
}

export interface QueueLimits {
  /** Of each partition by itself that has no limit of its own. */
  each: Limit | null;
  /** Of the jobs without a partition, which have a weight alone. */
  unpartitioned: Limit | null;
  /** Of single partitions, by their keys. */
  partitions: Record<string, Limit>;
}

/** Limits to set. `null` takes one away, and what is not named stays. Unknown fields throw. */
export interface NewLimits {
  each?: NewLimit | null | undefined;
  unpartitioned?: NewLimit | null | undefined;
  partitions?: Record<string, NewLimit | null> | undefined;
}

/** A partition, under the names of the protocol. */
export interface ShownPartition {
  partition: string;
  leases: number;
  /** The limit in force, its own or that of each. */
  limit: Limit;
  has_own_limit: boolean;
  /** Its leases have reached its limit, so its due jobs wait for a slot. */
  is_full: boolean;
  /** Jobs that wait, due or not; counted up to 1000. */
  waiting: number;
  /** `null` if no job is due. */
  oldest_due_age_ms: number | null;
  [name: string]: unknown;
}

export interface PartitionPage {
  partitions: ShownPartition[];
  next?: string;
}
