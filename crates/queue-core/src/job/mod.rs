//! What a job is: as a producer makes it ([`NewJob`]) and as a store keeps it ([`JobMeta`], [`JobRecord`]).

mod budget;
mod failed_job;
mod failure;
mod keep;
mod lease;
mod mask;
mod meta;
mod new_job;
mod payload;
mod reason;
mod record;
mod retention;
mod seq;
mod state;

pub use budget::Budget;
pub use failed_job::FailedJob;
pub use failure::{FAILURE_MESSAGE_BYTES_MAX, Failure};
pub use keep::Keep;
pub use lease::{LeaseInfo, LeaseToken};
pub use mask::mask_secrets;
pub use meta::JobMeta;
pub use new_job::{NewJob, OnFailed, OnWaiting};
pub use payload::Payload;
pub use reason::Reason;
pub use record::{JobBody, JobRecord};
pub use retention::{AWAITED_MIN, Retention, RetentionPolicy};
pub use seq::Seq;
pub use state::{ParseStateError, State};
