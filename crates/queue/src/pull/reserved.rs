//! Jobs of the library's own kinds, which are never handed to a consumer.

use crate::client::Shared;
use queue_core::{ClaimedJob, StorageExt, lifecycle::Event};

/// Does what the job asks for, as a worker would. If the store does not accept the outcome, the
/// lease lapses.
pub(super) async fn look_after(shared: &Shared, job: &ClaimedJob) {
    let event = event(shared, job).await;
    drop(shared.storage.settle(&job.record.meta, event, &shared.policy).await);
}

#[cfg(feature = "worker")]
async fn event(shared: &Shared, job: &ClaimedJob) -> Event {
    use queue_worker::{RESERVED_RETRY, ReservedJob, handle_reserved};
    let later = Event::PutBack { token: job.token, delay: RESERVED_RETRY };
    let Some(body) = &job.record.body else { return later };
    let (meta, payload, unreadable) = (&job.record.meta, &body.payload, &shared.unreadable);
    let reserved = ReservedJob { meta, payload, token: job.token, unreadable };
    handle_reserved(&*shared.storage, reserved).await.map_or(later, |handled| handled.event)
}

/// This program has no handlers for them: they are given back, uncharged, for a program that has.
#[cfg(not(feature = "worker"))]
#[allow(clippy::unused_async, reason = "with the feature `worker` it asks the store")]
async fn event(shared: &Shared, job: &ClaimedJob) -> Event {
    Event::PutBack { token: job.token, delay: shared.unreadable.note(&job.record.meta).delay }
}
