//! The verbs that a store offers so that concurrent calls can be merged.

use queue_core::{
    Applied, ClaimRequest, Claimed, Detail, Enqueued, JobId, JobRecord, Limits, NewJob, QueueName, Result,
    Stamped, lifecycle::Transition,
};
use std::fmt::Debug;

/// What concurrent calls of a store can be merged into: its verbs that take many items, each call
/// sent by itself. The input is checked already.
///
/// Their contract is that of [`Storage`](queue_core::Storage). See [`Coalesced`](crate::Coalesced).
pub trait BatchVerbs: Debug + Send + Sync + 'static {
    /// How much one call may bring.
    fn limits(&self) -> Limits;

    /// See [`Storage::enqueue`](queue_core::Storage::enqueue).
    fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> impl Future<Output = Result<Stamped<Vec<Vec<Enqueued>>>>> + Send;

    /// Several claims of one queue: an answer for each, in their order, as if each had come after
    /// the one before it, but `next_due` may be the one that the last claim leaves. Fewer answers,
    /// at least one, say that the rest was not begun, since it had no room. It is sent once, and an
    /// error of unknown outcome is the error of all of them. See
    /// [`Storage::claim`](queue_core::Storage::claim).
    fn claim(&self, requests: Vec<ClaimRequest>) -> impl Future<Output = Result<Vec<Claimed>>> + Send;

    /// How many calls of [`claim`](Self::claim) for one queue go side by side: one by default. A
    /// store whose server works on several at a time wants more; the claims that come while they
    /// are under way are merged.
    fn claims_beside(&self) -> usize {
        1
    }

    /// See [`Storage::apply`](queue_core::Storage::apply).
    fn apply(&self, batch: Vec<Transition>) -> impl Future<Output = Result<Stamped<Vec<Applied>>>> + Send;

    /// See [`Storage::get`](queue_core::Storage::get).
    fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> impl Future<Output = Result<Stamped<Vec<Option<JobRecord>>>>> + Send;
}
