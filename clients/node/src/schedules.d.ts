/** Jobs that are enqueued at times of a calendar. */

import type { CallOptions, NewJob } from "./index.js";

/** When a schedule fires: exactly one of `cron`, `everyMs` and `at`. */
export interface Timing {
  /** Five fields, or six with seconds. */
  cron?: string | undefined;
  /** Of `cron`: a name such as `Europe/Vienna`. Default `UTC`. */
  zone?: string | undefined;
  /** Counted from the beginning of 1970 in UTC. */
  everyMs?: number | undefined;
  /** Single moments, as `Date` or as in RFC 3339. */
  at?: (Date | string)[] | undefined;
}

export interface NewSchedule extends Timing {
  /** The job of each tick, whose id is the name, `@` and the tick. Without id. */
  job?: NewJob | undefined;
  /** What happens to ticks that passed while no worker ran. Default `skip`. */
  missed?: "skip" | "latest" | "all" | undefined;
  /** With `skip`: how late a tick may be and still run. */
  graceMs?: number | undefined;
  /** With `all`: the most ticks that run. */
  catchUp?: number | undefined;
  /** What happens to a tick while the job before it has not ended. Default `allow`. */
  overlap?: "allow" | "skip" | "cancel" | undefined;
  jitterMs?: number | undefined;
  spreadMs?: number | undefined;
}

/** A schedule as docs/service/protocol.md shows it, under the names of the protocol. */
export interface Schedule {
  schedule: string;
  fires: string;
  state: "on" | "paused" | "failed";
  kind: string;
  /** In UTC. */
  next: string[];
  last_run: string | null;
  [name: string]: unknown;
}

/** A schedule that the service cannot read: of a newer version, or in a zone that it does not know. */
export interface UnreadableSchedule {
  schedule: string;
  state: "unreadable";
  /** Why it cannot be read. */
  error: string;
}

export type ScheduleChange = "done" | "requested" | "unchanged";

export class Schedules {
  private constructor();
  /** Makes a schedule or changes the one of this name. Needs the scopes `operate` and `produce`. */
  put(name: string, schedule: NewSchedule, options?: CallOptions): Promise<"created" | "changed" | "unchanged" | "rescheduled">;
  get(name: string, options?: CallOptions): Promise<Schedule>;
  list(options?: CallOptions): Promise<(Schedule | UnreadableSchedule)[]>;
  pause(name: string, options?: CallOptions): Promise<ScheduleChange>;
  resume(name: string, options?: CallOptions): Promise<ScheduleChange>;
  remove(name: string, options?: CallOptions): Promise<ScheduleChange>;
  /** Enqueues its job now, and resolves to the id of the job. */
  run(name: string, options?: CallOptions): Promise<string>;
  /** The next ticks in UTC; none while it is paused. `count` is 1 to 100. */
  next(name: string, options?: CallOptions & { count?: number; from?: Date | string }): Promise<string[]>;
  /** The next ticks of a schedule that is not made yet. */
  preview(timing: Timing, options?: CallOptions & { count?: number; from?: Date | string }): Promise<string[]>;
}
