//! Which leases last.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use super::served::{Served, Working, numbers, until};
use queue::{
    JobId, Timestamp,
    service::ServiceWorker,
    worker::{CancelReason, Router},
};
use queue_core::{Detail, ErrorKind, Storage, StorageExt};
use queue_http::ServiceLimits;
use std::{sync::Arc, time::Duration};

const LEASE: Duration = Duration::from_secs(1);

async fn lease_end(storage: &dyn Storage) -> Option<Timestamp> {
    let id = JobId::new("a").unwrap();
    let record = storage.get_one(&numbers(), &id, Detail::Meta).await.unwrap().unwrap();
    record.meta.lease.map(|lease| lease.expires_at)
}

/// Waits until heartbeats have kept the lease for longer than it lasts.
async fn is_kept(storage: &dyn Storage) {
    let end = lease_end(storage).await.unwrap();
    while lease_end(storage).await.is_none_or(|now| now.since(end) <= LEASE) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_handler_keeps_its_lease_in_the_grace_of_a_stop() {
    let served = Served::start().await;
    served.jobs().enqueue("a", 1).await.unwrap();
    let storage = served.storage.clone();
    let router = Router::new(()).fallback(move |number: u32, job| {
        let storage = storage.clone();
        async move {
            job.cancelled().await;
            assert_eq!(job.cancel_reason(), Some(CancelReason::Shutdown));
            is_kept(&*storage).await;
            Ok(number)
        }
    });
    let builder = ServiceWorker::builder(served.options(), numbers(), router)
        .lease(LEASE)
        .drain_deadline(Duration::ZERO)
        .grace(Duration::from_secs(10));
    let working = Working::start(builder).await;
    until("it runs", async || working.started() == 1).await;
    assert_eq!(working.stopped().await.completed, 1);
}

#[tokio::test]
async fn a_lease_that_is_longer_than_a_service_gives_is_refused_and_the_present_one_lasts() {
    let mut limits = ServiceLimits::default();
    limits.lease_ms_max = 60_000;
    let served = Served::with(Arc::new(|_| None), limits).await;
    served.jobs().enqueue("a", 1).await.unwrap();
    let storage = served.storage.clone();
    let router = Router::new(()).fallback(move |number: u32, job| {
        let storage = storage.clone();
        async move {
            // More than any service gives, and more than this one does.
            for hours in [2, 1] {
                let refused = job.extend(Duration::from_secs(hours * 3600)).await.expect_err("too long");
                assert_eq!(refused.kind(), ErrorKind::Invalid);
            }
            is_kept(&*storage).await;
            Ok(number)
        }
    });
    let builder = ServiceWorker::builder(served.options(), numbers(), router).lease(LEASE);
    let working = Working::start(builder.until_empty().poll_interval(Duration::from_millis(20))).await;
    let report = working.ended().await.unwrap();
    assert_eq!((report.completed, report.failing), (1, 0));
}
