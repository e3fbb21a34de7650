//! Batches: many jobs, and callbacks once all of them have ended.
//!
//! A batch is a job behind a gate, its *coordinator*, and its members are ordinary jobs that raise
//! the gate when they are enqueued and signal it when they end. So the store counts, in the very
//! steps that add and end members, and neither a producer nor a worker does. Every worker of the
//! queue has the handler of a coordinator, as it has that of a schedule.
//!
//! Invariants kept here: a callback is enqueued once, in the settle in which the coordinator
//! notes that the batch has ended; nothing is added to a batch that has ended; a batch that is
//! cancelled ends after its members.
//!
//! Absent on purpose: a count that a client or a worker keeps, a table, a verb of the store.

mod batch_end;
mod batch_life;
mod batch_name;
mod canonical;
mod coordinator;
mod counts;
mod halt;
mod member;
mod operation;
mod progress;
mod spec;
mod spec_error;
#[cfg(test)]
mod spec_tests;

pub use batch_end::{BatchEnd, EndedBatch};
pub use batch_life::{BatchLife, CallbackMoment};
pub use batch_name::{BATCH_NAME_BYTES_MAX, BatchName, InvalidBatchName};
pub use counts::BatchCounts;
pub use halt::HaltSpec;
pub use member::{BatchOfMember, ContextBatch, InvalidMember};
pub use progress::BatchProgress;
pub use spec::{BatchSpec, CallbackSpec, OnTimeout, coordinator_tag};
pub use spec_error::BatchSpecError;

pub(crate) use coordinator::wake;
pub(crate) use halt::advance as halt;

use queue_core::{LibraryJob, Span};

/// The kind of a batch's job.
pub const BATCH_KIND: &str = LibraryJob::BATCH_KIND;
/// The kind of the job that cancels a batch.
pub const HALT_KIND: &str = LibraryJob::HALT_KIND;
/// How long a batch, or its cancel, sleeps while an operation of it runs.
const LOOK: Span = Span::from_secs(1);
