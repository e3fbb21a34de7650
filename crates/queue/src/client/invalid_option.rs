//! Why an option of a job or a handle was refused.

use queue_core::{Error, InvalidName, JobId, Kind, Span};
use std::time::Duration;

/// Why an option was refused, before anything was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidOption {
    /// A budget of zero: a job without attempts would never run, and one without stalls would fail
    /// before it began.
    #[error("{what} must be at least 1; use `{unlimited}()` for no limit")]
    NoBudget {
        /// Which budget.
        what: &'static str,
        /// The method that sets no limit.
        unlimited: &'static str,
    },
    /// A length of zero: a retention, a lease and similar times must be longer than zero.
    #[error("{what} must be longer than zero")]
    NotPositive {
        /// Which length of time.
        what: &'static str,
    },
    /// A length over 100 years, which store time cannot represent.
    #[error("{what} must be at most 100 years of 365 days, not {}", Span::in_years(*given))]
    TooLong {
        /// Which length of time.
        what: &'static str,
        /// What was given.
        given: Duration,
    },
    /// A job that expires before it may be claimed, and so would never run.
    #[error(
        "a job that expires {expires_in:?} after its enqueue and is due after {delay:?} can never run; let it expire later than it is due"
    )]
    ExpiresBeforeDue {
        /// When it would expire.
        expires_in: Duration,
        /// When it would be due.
        delay: Duration,
    },
    /// A time of day in a call that does not ask the store: only the store can tell how far away it
    /// is.
    #[error(
        "a time of day needs the store's clock, which is not asked here; give `delay(queue.time_until(at).await?)`"
    )]
    TimeOfDay,
    /// A `max_wait` that is shorter than the delay.
    #[error(
        "a debounced job whose delay is {delay:?} must be allowed to wait at least as long, not {max_wait:?}"
    )]
    MaxWait {
        /// How long it may be put off.
        max_wait: Duration,
        /// The delay.
        delay: Duration,
    },
    /// An option or a call that is not possible for a debounced job.
    #[error("{0}")]
    Debounce(&'static str),
    /// A retention for a member of a batch, which is kept for as long as the batch says.
    #[error("a member of a batch has no retention of its own; the batch decides, by its `keep`")]
    KeepOfMember,
    /// A kind that begins with `queue.`, which is reserved for the library's own jobs.
    #[error("the kind {kind:?} is reserved, as all that begin with `queue.` are; choose another name")]
    ReservedKind {
        /// The kind that was given.
        kind: Kind,
    },
    /// An id that belongs to the [library's own jobs](queue_core::LibraryJob::owns_id).
    #[error(
        "the id {id:?} is reserved, as all that begin with `queue.` and those of callbacks of batches are; \
         choose another one"
    )]
    ReservedId {
        /// The id that was given.
        id: JobId,
    },
    /// An invalid kind for the job that follows a failure.
    #[error("the kind of the job that follows a failure: {0}")]
    FollowUpKind(#[source] InvalidName),
    /// Headers over a limit, or with a control character.
    #[error("{0}")]
    Headers(String),
    /// An invalid tag, or too many tags.
    #[error("{0}")]
    Tags(String),
    /// A partition that is no name.
    #[error("{0}")]
    Partition(String),
    /// A key for ids of content that is too short.
    #[error(
        "a key for ids has at least 16 bytes, better 32 of the operating system's randomness, and not {bytes}"
    )]
    ShortKey {
        /// The number of bytes of the key.
        bytes: usize,
    },
}

impl From<InvalidOption> for Error {
    fn from(invalid: InvalidOption) -> Self {
        Self::invalid("validate", invalid.to_string()).with_source(invalid)
    }
}
