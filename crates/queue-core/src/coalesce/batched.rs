use crate::{
    Applied, Detail, Enqueued, JobId, JobRecord, Limits, NewJob, QueueName, Result, Stamped,
    lifecycle::Transition,
};
use std::fmt::Debug;

/// What concurrent calls of a store can be merged into: its verbs that take many items, each call sent by itself. The input
/// is checked already.
///
/// Their contract is that of [`Storage`](crate::Storage). See [`Coalesced`](crate::Coalesced).
pub trait Batched: Debug + Send + Sync + 'static {
    /// How much one call may bring.
    fn limits(&self) -> Limits;

    /// See [`Storage::enqueue`](crate::Storage::enqueue).
    fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> impl Future<Output = Result<Stamped<Vec<Vec<Enqueued>>>>> + Send;

    /// See [`Storage::apply`](crate::Storage::apply).
    fn apply(&self, batch: Vec<Transition>) -> impl Future<Output = Result<Stamped<Vec<Applied>>>> + Send;

    /// See [`Storage::get`](crate::Storage::get).
    fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> impl Future<Output = Result<Stamped<Vec<Option<JobRecord>>>>> + Send;
}
