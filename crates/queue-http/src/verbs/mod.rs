//! The handlers of the calls, one file for each verb.

pub(crate) mod about;
pub(crate) mod batches;
pub(crate) mod change;
pub(crate) mod claim;
pub(crate) mod enqueue;
pub(crate) mod events;
pub(crate) mod extend;
pub(crate) mod failures;
pub(crate) mod jobs;
pub(crate) mod limits;
pub(crate) mod metrics;
pub(crate) mod operations;
pub(crate) mod outcome;
pub(crate) mod partitions;
pub(crate) mod queues;
pub(crate) mod schedules;
pub(crate) mod settle;
pub(crate) mod stats;
pub(crate) mod workers;
