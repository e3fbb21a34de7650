//! Why a schedule is refused or cannot be read, and what kind of error that is to a caller.

use queue_core::ErrorKind;
use std::time::Duration;

/// Why something is no schedule. Nothing is written before it is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The text is no cron pattern.
    #[error("{pattern:?} is no cron pattern: {reason}")]
    Pattern {
        /// As it was given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No moment matches, or none that is still to come.
    #[error("{timing} never fires")]
    NeverFires {
        /// The pattern or the moments.
        timing: String,
    },
    /// Neither this machine nor the library knows the zone.
    #[error("{name:?} is no known time zone; it takes a name such as `Europe/Berlin` or `UTC`")]
    Zone {
        /// As it was given.
        name: String,
    },
    /// An interval of zero, of a fraction of a millisecond, or of more than a hundred years.
    #[error("a schedule cannot repeat every {period:?}; it takes 1 ms to 100 years, in whole milliseconds")]
    Period {
        /// As it was given.
        period: Duration,
    },
    /// A moment before the year -9999 or after 9999.
    #[error("a moment of a schedule lies beyond the years that a calendar has")]
    Moment,
    /// The jitter or the spread is longer than the time between two ticks, so that they would
    /// overtake each other.
    #[error("a {what} of {shift:?} is longer than the {gap:?} between two ticks of {timing}")]
    Shift {
        /// `jitter` or `spread`.
        what: &'static str,
        /// As it was given.
        shift: Duration,
        /// The shortest time between two of the next ticks.
        gap: Duration,
        /// The pattern or the interval.
        timing: String,
    },
    /// The name leaves no room for the ids of its ticks, has a character that they are made with,
    /// or is empty.
    #[error(
        "{name:?} cannot name a schedule: it takes 1 to 200 bytes without control characters and without `@`"
    )]
    Name {
        /// As it was given.
        name: String,
    },
    /// A catch-up of none.
    #[error("a schedule that makes up for missed runs makes up for at least one")]
    CatchUp,
    /// A payload that is not JSON asks for its tick.
    #[error("only a payload in JSON can be given its tick")]
    Tick,
    /// What a store holds is no schedule that this version can read.
    #[error("the stored schedule cannot be read: {reason}")]
    Unreadable {
        /// What is wrong with it.
        reason: String,
    },
    /// A newer version of this library wrote the schedule.
    #[error("the stored schedule is of version {version}, which is newer than this library")]
    Newer {
        /// What it says.
        version: u32,
    },
}

impl From<ScheduleError> for queue_core::Error {
    fn from(error: ScheduleError) -> Self {
        let kind = match &error {
            ScheduleError::Newer { .. } => ErrorKind::Unsupported,
            ScheduleError::Unreadable { .. } => ErrorKind::Corrupt,
            _ => ErrorKind::Invalid,
        };
        Self::new(kind, "schedule", error.to_string()).with_source(error)
    }
}
