//! The job: as a producer makes it ([`NewJob`]), and as a store keeps it ([`JobMeta`],
//! [`JobRecord`]).

mod attempt;
mod budget;
mod error_pattern;
mod failed_job;
mod failure;
mod gate;
mod keep;
mod labels;
mod lease;
mod library_job;
mod mask;
mod meta;
mod new_job;
mod on_taken;
mod payload;
mod reason;
mod record;
mod retention;
mod seq;
mod state;
mod terms;

pub use attempt::{ATTEMPT_MESSAGE_BYTES_MAX, ATTEMPTS_MAX, Attempt, AttemptOutcome, JobAttempts};
pub use budget::Budget;
pub use error_pattern::error_pattern;
pub use failed_job::FailedJob;
pub use failure::{FAILURE_MESSAGE_BYTES_MAX, Failure};
pub use gate::{END_SIGNALS_MAX, EndOutcome, EndSignal, Gate, NewGate, Signalling, Tally};
pub use keep::Keep;
pub use labels::{HEADERS_BYTES_MAX, HEADERS_MAX, Headers, TAG_BYTES_MAX, TAGS_MAX, Tag, Tags};
pub use lease::{LeaseInfo, LeaseToken};
pub use library_job::LibraryJob;
pub use mask::{mask_header, mask_secrets};
pub use meta::JobMeta;
pub use new_job::NewJob;
pub use on_taken::{OnFailed, OnWaiting};
pub use payload::Payload;
pub use reason::Reason;
pub use record::{JobBody, JobRecord};
pub use retention::{AWAITED_MIN, Retention, RetentionPolicy};
pub use seq::Seq;
pub use state::{ParseStateError, State};
pub use terms::{JobTerms, MalformedTerms, NewerTerms, SharedTerms};
