use queue_core::{Error, InvalidName, Kind};
use std::time::Duration;

/// Why an option was refused, before anything was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidOption {
    /// A job with no attempts would never run, and one with no stalls would fail before it began.
    #[error("{what} must be at least 1; use `{unlimited}()` for no limit")]
    NoBudget {
        /// Which budget.
        what: &'static str,
        /// The method that lifts the limit.
        unlimited: &'static str,
    },
    /// A time to live, a lease and the like must be longer than zero.
    #[error("{what} must be longer than zero")]
    NotPositive {
        /// Which length of time.
        what: &'static str,
    },
    /// Store time holds at most 100 years ahead.
    #[error("{what} must be at most 100 years, not {given:?}")]
    TooLong {
        /// Which length of time.
        what: &'static str,
        /// What was given.
        given: Duration,
    },
    /// A job that expires before it may be claimed would never run.
    #[error(
        "a job that expires {expires_in:?} after its enqueue and is due after {delay:?} can never run; let it expire later than it is due"
    )]
    ExpiresBeforeDue {
        /// When it would expire.
        expires_in: Duration,
        /// When it would be due.
        delay: Duration,
    },
    /// How far away a time of day is, the store alone can tell.
    #[error(
        "a time of day needs the store's clock, which is not asked here; give `delay(queue.time_until(at).await?)`"
    )]
    TimeOfDay,
    /// A job may be put off longer than its delay, not shorter.
    #[error(
        "a debounced job whose delay is {delay:?} must be allowed to wait at least as long, not {max_wait:?}"
    )]
    MaxWait {
        /// How long it may be put off.
        max_wait: Duration,
        /// The delay.
        delay: Duration,
    },
    /// What cannot be of a debounced job.
    #[error("{0}")]
    Debounce(&'static str),
    /// Kinds that begin with `queue.` are those of the library's own jobs.
    #[error("the kind {kind:?} is reserved, as all that begin with `queue.` are; choose another name")]
    ReservedKind {
        /// The kind that was given.
        kind: Kind,
    },
    /// The kind of the job that is to follow a failure is none.
    #[error("the kind of the job that follows a failure: {0}")]
    FollowUpKind(#[source] InvalidName),
    /// Headers over a limit, or with a control character.
    #[error("{0}")]
    Headers(String),
    /// A tag that cannot be, or too many of them.
    #[error("{0}")]
    Tags(String),
    /// A key for ids of content that can be guessed.
    #[error(
        "a key for ids has at least 16 bytes, better 32 of the operating system's randomness, and not {bytes}"
    )]
    ShortKey {
        /// How many bytes were given.
        bytes: usize,
    },
}

impl From<InvalidOption> for Error {
    fn from(invalid: InvalidOption) -> Self {
        Self::invalid("validate", invalid.to_string()).with_source(invalid)
    }
}
