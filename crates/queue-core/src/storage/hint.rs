//! The hints that a store sends to subscribers.

use crate::{JobId, Payload, Seq, State};
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

/// A message that something may have changed. Only the stored record decides, so read it; the one
/// hint that spares a reader the read is [`Completed`](Self::Completed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A claim may now find a job.
    Wake,
    /// A job changed.
    Job(JobChange),
    /// An awaited job is completed, and this is its result: what a read of that revision would have
    /// found. A store may send it in place of [`Job`](Self::Job), to subscribers to
    /// [`Interest::Jobs`] alone.
    Completed(Box<CompletedJob>),
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

/// A completed job, with its result. Like every hint it may be late or come twice. A reader
/// compares life and revision with what it knows, and takes a newer result alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedJob {
    /// The id of the job.
    pub id: JobId,
    /// The life of the id.
    pub seq: Seq,
    /// The revision at which the record has the result.
    pub revision: u64,
    /// The result, with every byte of the stored one.
    pub result: Payload,
}

impl CompletedJob {
    /// The change of which this is the outcome.
    pub fn change(&self) -> JobChange {
        let Self { id, seq, revision, .. } = self;
        JobChange { id: id.clone(), seq: *seq, revision: *revision, state: Some(State::Completed) }
    }
}
