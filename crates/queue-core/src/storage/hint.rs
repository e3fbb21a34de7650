use crate::{JobId, Seq, State};
use futures_core::Stream;
use std::pin::Pin;

/// Hints from a store. It ends when the store closes.
pub type EventStream = Pin<Box<dyn Stream<Item = Hint> + Send>>;

/// What a subscriber wants to hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interest {
    /// That a claim may now find something. Waking coalesces.
    Wake,
    /// That one of these ids reached a terminal state or is gone; sent for awaited jobs.
    Jobs(Vec<JobId>),
    /// Every change of every job: complete and in order per job while connected, best effort
    /// otherwise.
    All,
}

/// Something may have changed. The stored record is the truth: read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A claim may now find something.
    Wake,
    /// A job changed.
    Job(JobChange),
    /// Hints were lost, or somebody else wrote: read again whatever matters.
    Missed,
}

/// How a job stood after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobChange {
    /// Which job.
    pub id: JobId,
    /// Which life of it.
    pub seq: Seq,
    /// Orders the changes of one life.
    pub revision: u64,
    /// Its new state, `None` if it is gone.
    pub state: Option<State>,
}
