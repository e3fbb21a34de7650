//! The hints that a store sends to subscribers.

use crate::{JobId, Seq, State};
use futures_core::Stream;
use std::pin::Pin;

/// A stream of hints from a store. It ends when the store closes.
pub type EventStream = Pin<Box<dyn Stream<Item = Hint> + Send>>;

/// The changes that a subscriber wants hints for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interest {
    /// A claim may now find a job. Several such hints may be merged into one.
    Wake,
    /// A job with one of these ids became terminal or was removed; sent for awaited jobs.
    Jobs(Vec<JobId>),
    /// Every change of every job: complete and in order for each job while the store is connected,
    /// best effort otherwise.
    All,
}

/// A message that something may have changed. Only the stored record decides, so read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A claim may now find a job.
    Wake,
    /// A job changed.
    Job(JobChange),
    /// Hints were lost, or another process wrote: read all records again that you depend on.
    Missed,
}

/// The state of a job after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobChange {
    /// The id of the job.
    pub id: JobId,
    /// The life of the id.
    pub seq: Seq,
    /// The revision, which orders the changes of one life.
    pub revision: u64,
    /// The new state; `None` if the job was removed.
    pub state: Option<State>,
}
