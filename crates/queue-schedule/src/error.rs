//! The reasons why a schedule is refused or cannot be read, and the error kind of each.

use queue_core::ErrorKind;
use std::time::Duration;

/// The reason why a schedule is not valid. Nothing is written before it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The text is not a cron pattern.
    #[error("{pattern:?} is no cron pattern: {reason}")]
    Pattern {
        /// The text.
        pattern: String,
        /// The parser's explanation.
        reason: String,
    },
    /// A step is longer than what it steps through, so that one value is left, and the pattern does
    /// not fire when it seems to.
    #[error(
        "{pattern:?} does not mean what it seems to: of the {field}, {part:?} has {first} alone; {instead}"
    )]
    Step {
        /// The text.
        pattern: String,
        /// The part with the step.
        part: String,
        /// What its values are.
        field: &'static str,
        /// The value that is left.
        first: u32,
        /// What to write.
        instead: String,
    },
    /// No moment matches, or none in the future.
    #[error("{timing} never fires")]
    NeverFires {
        /// The pattern or the moments.
        timing: String,
    },
    /// Neither this machine nor the library knows the zone.
    #[error("{name:?} is no known time zone; it takes a name such as `Europe/Berlin` or `UTC`")]
    Zone {
        /// The name.
        name: String,
    },
    /// A name that stands for another zone on each machine.
    #[error(
        "{name:?} is another time on each machine; name the zone itself, such as `Europe/Berlin` or `UTC`"
    )]
    LocalZone {
        /// The name.
        name: String,
    },
    /// An interval of zero, of a fraction of a millisecond, or of more than a hundred years.
    #[error("a schedule cannot repeat every {period:?}; it takes 1 ms to 100 years, in whole milliseconds")]
    Period {
        /// The period.
        period: Duration,
    },
    /// A moment before the year -9999 or after 9999.
    #[error("a moment of a schedule lies beyond the years that a calendar has")]
    Moment,
    /// The jitter or the spread is longer than the time between two ticks, so ticks would overtake
    /// each other.
    #[error("a {what} of {shift:?} is longer than the {gap:?} between two ticks of {timing}")]
    Shift {
        /// `jitter` or `spread`.
        what: &'static str,
        /// The length.
        shift: Duration,
        /// The shortest time between two of the next ticks.
        gap: Duration,
        /// The pattern or the interval.
        timing: String,
    },
    /// The name leaves no room for the ids of its ticks, contains a character that separates their
    /// parts, or is empty.
    #[error(
        "{name:?} cannot name a schedule: it takes 1 to 200 bytes without control characters and without `@`"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// A catch-up of zero ticks.
    #[error("a schedule that makes up for missed runs makes up for at least one")]
    CatchUp,
    /// With everything in it, the schedule is larger than what the store takes as a payload.
    #[error(
        "the schedule takes {bytes} bytes as it is stored, {payload_bytes} of them for the payload of its jobs, and the store takes \
         {bytes_max}: text is stored as a JSON string, each byte of another payload as a number, up to 4 bytes; keep the data \
         elsewhere, and its address in the payload"
    )]
    TooLarge {
        /// The size of the stored schedule.
        bytes: usize,
        /// The part of it that is the payload.
        payload_bytes: usize,
        /// The most that the store takes.
        bytes_max: usize,
    },
    /// An option that an enqueue has and the job of a tick cannot have.
    #[error("`{option}` is no option for the job of a schedule: {why}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Why it has no meaning, and what to give instead.
        why: &'static str,
    },
    /// A payload that is not JSON contains the placeholder for its tick.
    #[error("only a payload in JSON can be given its tick")]
    Tick,
    /// Stored bytes that are the schedule of no version.
    #[error("the stored schedule cannot be read: {reason}")]
    Unreadable {
        /// The explanation.
        reason: String,
    },
    /// A stored schedule that this build or this machine cannot read, and another may: its zone is
    /// not known here, say.
    #[error("the stored schedule cannot be read here: {reason}")]
    UnreadableHere {
        /// The explanation.
        reason: String,
    },
    /// A newer version of this library wrote the schedule.
    #[error("the stored schedule is of version {version}, which is newer than this library")]
    Newer {
        /// The version of the stored schedule.
        version: u32,
    },
}

impl ScheduleError {
    /// Whether this is about a stored schedule that could not be read.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable { .. } | Self::UnreadableHere { .. } | Self::Newer { .. })
    }
}

impl From<ScheduleError> for queue_core::Error {
    fn from(error: ScheduleError) -> Self {
        let kind = match &error {
            ScheduleError::Newer { .. } | ScheduleError::UnreadableHere { .. } => ErrorKind::Unsupported,
            ScheduleError::Unreadable { .. } => ErrorKind::Corrupt,
            _ => ErrorKind::Invalid,
        };
        Self::new(kind, "schedule", error.to_string()).with_source(error)
    }
}
