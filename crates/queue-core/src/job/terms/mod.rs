//! The terms of a job: what was agreed when it was enqueued, and what no store looks at.

mod encoding;
mod field;
mod shared;

pub use encoding::MalformedTerms;
pub use field::NewerTerms;
pub use shared::SharedTerms;

use crate::{Budget, Kind, RetentionPolicy, Span};

/// What was agreed about a job when it was enqueued, or by an
/// [amendment](crate::lifecycle::Amendment) since. [`decide`](crate::lifecycle::decide), workers
/// and people read it. No store looks into it: a store keeps the [bytes](Self::to_bytes), so a new
/// term changes no store.
///
/// ```
/// use queue_core::{Budget, JobTerms};
///
/// assert!(JobTerms::default().to_bytes().is_empty(), "a plain job stores nothing");
/// let terms = JobTerms { max_attempts: Budget::from_raw(3), ..JobTerms::default() };
/// assert_eq!(JobTerms::from_bytes(&terms.to_bytes())?, terms);
/// # Ok::<(), queue_core::MalformedTerms>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JobTerms {
    /// The number of failures at which the job is Failed; default [`Budget::ATTEMPTS`], 25.
    pub max_attempts: Budget,
    /// The number of lapsed leases at which the job is Failed; default [`Budget::STALLS`], 3.
    pub max_stalls: Budget,
    /// How long a worker lets the handler run, in place of the limit of the kind or of the worker;
    /// default `None`.
    pub time_limit: Option<Span>,
    /// The kind of the job that is enqueued in the step in which this one becomes Failed, by any
    /// event; default `None`. Its payload is a [`FailedJob`](crate::FailedJob), its id is
    /// [`FailedJob::follow_up_id`](crate::FailedJob::follow_up_id).
    pub on_failure: Option<Kind>,
    /// How long the record is kept once the job is terminal; by default one hour if Completed,
    /// seven days if Failed or Cancelled.
    pub retention: RetentionPolicy,
    /// Terms of a newer version of this library, kept as they came.
    pub newer: NewerTerms,
}

impl JobTerms {
    /// The most bytes that terms may have. Those that this version knows have less than 400.
    pub const BYTES_MAX: usize = 4_096;
}

impl Default for JobTerms {
    fn default() -> Self {
        Self {
            max_attempts: Budget::ATTEMPTS,
            max_stalls: Budget::STALLS,
            time_limit: None,
            on_failure: None,
            retention: RetentionPolicy::default(),
            newer: NewerTerms::NONE,
        }
    }
}
