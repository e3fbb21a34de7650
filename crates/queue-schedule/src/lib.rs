//! Computes when the jobs of a schedule are due (cron patterns in time zones, intervals, single
//! moments) and what happens to missed runs. The crate is pure: it has no clock, no store and no
//! runtime. The worker calls it at each wake-up, the client for previews.
//!
//! ```
//! use queue_core::Timestamp;
//! use queue_schedule::Timing;
//!
//! let nightly = Timing::cron("30 2 * * *", "Europe/Berlin")?;
//! let (midnight, hour) = (1_774_738_800_000, 3_600_000); // 2026-03-29 00:00 in Berlin; the clock skips 02:00 to 03:00
//! let tick = nightly.next(Timestamp::from_millis(midnight));
//! assert_eq!(tick, Some(Timestamp::from_millis(midnight + 2 * hour))); // 03:00, the first moment after the gap
//! # Ok::<(), queue_schedule::ScheduleError>(())
//! ```
//!
//! A schedule is stored as a job of the reserved kind [`SCHEDULE_KIND`] with [`schedule_tags`],
//! whose payload is a [`ScheduleSpec`] and whose progress is a [`Progress`]: the last tick dealt
//! with.
//! [`ScheduleSpec::fire`] says which jobs to enqueue; the worker enqueues them in the same atomic
//! step in which it snoozes the schedule until the next tick. So the set of ticks depends neither
//! on the number of workers, nor on which of them dies when.

mod ahead;
mod civil;
mod due;
mod error;
mod firing;
mod found;
mod moments;
mod pattern;
mod pattern_advice;
mod progress;
mod shift;
mod spec;
mod stored_job;
mod template;
mod tick;
mod timing;
mod wire;
mod zone;

pub use ahead::{AHEAD_MAX, Ahead, DOUBT};
pub use due::{CATCH_UP_MAX, Due, LOOK_EVERY, TICKS_MAX};
pub use error::ScheduleError;
pub use firing::{CallRoom, Firing, FiringContext};
pub use found::{schedule_tags, schedules_in};
pub use moments::Moments;
pub use pattern::CronPattern;
pub use progress::Progress;
pub use spec::{GRACE_MAX, GRACE_MIN, Missed, Overlap, SPEC_VERSION, ScheduleSpec};
pub use template::Template;
pub use tick::Tick;
pub use timing::Timing;
pub use zone::Zone;

/// The kind of the jobs that are schedules.
pub const SCHEDULE_KIND: &str = queue_core::LibraryJob::SCHEDULE_KIND;
