//! Services that are away, proxies that answer for them, and leases that are lost.

use super::served::{Served, Working, numbers, until};
use queue::{
    JobId, State,
    service::ServiceWorker,
    worker::{CancelReason, JobError, Router},
};
use queue_core::{ClaimRequest, Span, StorageExt, SystemRng, WorkerId, lifecycle::Policy};
use queue_http::ServiceLimits;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;

#[tokio::test]
async fn an_outcome_waits_for_a_server_that_restarts() {
    let mut served = Served::start().await;
    let jobs = served.jobs();
    jobs.enqueue("a", 20).await.unwrap();
    let gate = Arc::new(Notify::new());
    let opened = gate.clone();
    let starts = Arc::new(AtomicU32::new(0));
    let counted = starts.clone();
    let router = Router::new(()).fallback(move |number: u32, _| {
        let gate = gate.clone();
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            gate.notified().await;
            Ok(number + 1)
        }
    });
    let working = Working::start(ServiceWorker::builder(served.options(), numbers(), router)).await;
    until("it runs", async || starts.load(Ordering::SeqCst) == 1).await;
    served.stop().await;
    opened.notify_one();
    let is_told = async || working.events.lock().iter().any(|event| event.starts_with("Error"));
    until("somebody is told", is_told).await;
    served.serve().await;
    until("it is completed", async || served.state("a").await == Some(State::Completed)).await;
    jobs.enqueue("b", 1).await.unwrap();
    opened.notify_one();
    until("it goes on", async || served.state("b").await == Some(State::Completed)).await;
    assert_eq!((working.stopped().await.completed, starts.load(Ordering::SeqCst)), (2, 2));
}

#[tokio::test]
async fn pages_of_a_proxy_lose_no_job_and_run_none_twice() {
    let calls = AtomicUsize::new(0);
    let page = move |_: &str| {
        let call = calls.fetch_add(1, Ordering::SeqCst);
        [None, Some(200), None, Some(502), None][call % 5]
    };
    let served = Served::with(Arc::new(page), ServiceLimits::default()).await;
    let jobs = served.jobs();
    for number in 0..20_u32 {
        jobs.enqueue(format!("job-{number}"), number).await.unwrap();
    }
    let router = Router::new(()).fallback(|number: u32, _| async move { Ok(number) });
    let builder = ServiceWorker::builder(served.options(), numbers(), router)
        .poll_interval(Duration::from_millis(20))
        .until_empty();
    let report = Working::start(builder).await.ended().await.unwrap();
    assert_eq!((report.started, report.completed, report.abandoned), (20, 20, 0));
}

#[tokio::test]
async fn a_worker_whose_lease_is_lost_is_asked_to_stop_and_changes_nothing() {
    let mut served = Served::start().await;
    let jobs = served.jobs();
    let id = JobId::new("a").unwrap();
    jobs.enqueue("a", 1).await.unwrap();
    let router = Router::new(()).fallback(|_: u32, job| async move {
        job.cancelled().await;
        assert_eq!(job.cancel_reason(), Some(CancelReason::LeaseLost));
        Err::<u32, _>(JobError::named("Late", "this must not count"))
    });
    let builder = ServiceWorker::builder(served.options(), numbers(), router).lease(Duration::from_secs(1));
    let working = Working::start(builder).await;
    until("it runs", async || served.state("a").await == Some(State::Processing)).await;
    served.stop().await;
    // Another worker over the store ends the lapsed lease and takes the job.
    let taken = async || {
        served.storage.rescue(&numbers(), 10, &Policy::default()).await.unwrap();
        let worker = WorkerId::new("other").unwrap();
        let request = ClaimRequest::new(numbers(), worker, 1, Span::from_secs(600), &SystemRng);
        !served.storage.claim(request).await.unwrap().jobs.is_empty()
    };
    until("another has it", taken).await;
    served.serve().await;
    let is_lost = async || working.events.lock().iter().any(|event| event.starts_with("LeaseLost"));
    until("it is told", is_lost).await;
    let meta = jobs.status(&id).await.unwrap().unwrap().meta;
    assert_eq!((meta.state, meta.failures, meta.epoch), (State::Processing, 0, 2));
    assert_eq!(working.stopped().await.leases_lost, 1);
}
