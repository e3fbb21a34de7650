//! The typed client: enqueues with ids and options, reads, changes, and their answers.

mod amend;
mod builder;
mod change;
mod chunks;
mod debounce;
mod enqueue;
mod enqueue_hooks;
mod enqueued;
mod events;
mod follow_up_kind;
mod id;
mod id_key;
mod into_job_id;
mod invalid_option;
mod job_options;
mod jobs;
mod keep;
mod limits;
mod manage;
#[cfg(not(feature = "opentelemetry"))]
mod no_send_span;
mod option_values;
mod other_kind;
mod pauses;
mod queue;
#[cfg(feature = "opentelemetry")]
mod send_span;
mod series;
mod status;
mod term_options;
mod time_of_day;
#[cfg(feature = "opentelemetry")]
mod trace_context;
mod transaction;
mod unique;
#[cfg(feature = "worker")]
mod worker;

pub use amend::JobAmendment;
pub use builder::QueueBuilder;
pub use change::Change;
pub use enqueued::Enqueued;
pub use events::{JobEvent, JobEvents};
pub use follow_up_kind::FollowUpKind;
pub use id::Id;
pub use into_job_id::IntoJobId;
pub use invalid_option::InvalidOption;
pub use job_options::JobOptions;
pub use jobs::{BulkChange, InvalidListing, JobCount, Jobs};
pub use limits::LimitsToSet;
pub use other_kind::OtherKind;
pub use queue::Queue;
pub use queue_view::SeriesReading;
pub use status::Status;
pub use transaction::{EnqueueIn, Joinable, SettleIn};

#[cfg(feature = "worker")]
pub(crate) use chunks::is_full;
#[cfg(feature = "worker")]
pub(crate) use enqueue::KeysOf;
pub(crate) use id_key::IdKey;
pub(crate) use keep::{checked_span, retention};
#[cfg(not(feature = "opentelemetry"))]
pub(crate) use no_send_span::SendSpan;
#[cfg(feature = "worker")]
pub(crate) use option_values::CheckedOptions;
pub(crate) use queue::Shared;
#[cfg(feature = "opentelemetry")]
pub(crate) use send_span::SendSpan;
#[cfg(feature = "opentelemetry")]
pub(crate) use trace_context::carry_trace;
