//! The typed client: what is enqueued, under which id and options, and what is answered.

mod builder;
mod change;
mod enqueue;
mod enqueued;
mod events;
mod id;
mod invalid_option;
mod job_options;
mod keep;
mod manage;
mod many;
mod queue;
mod status;
mod transaction;
#[cfg(feature = "worker")]
mod worker;

pub use builder::QueueBuilder;
pub use change::{Cancel, Change};
pub use enqueued::Enqueued;
pub use events::{JobEvent, JobEvents};
pub use id::Id;
pub use invalid_option::InvalidOption;
pub use job_options::JobOptions;
pub use keep::Keep;
pub use queue::Queue;
pub use status::Status;
pub use transaction::{EnqueueIn, Joinable, SettleIn};

pub(crate) use keep::checked_span;
pub(crate) use queue::Shared;
