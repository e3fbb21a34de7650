//! What handlers get, and what their answers do.

use super::served::{Served, Working, numbers, until};
use queue::{
    Change, JobId, OnProcessing, RetryPolicy, State,
    service::ServiceWorker,
    worker::{CancelReason, JobError, Router},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;

#[tokio::test]
async fn a_router_serves_a_service_as_it_serves_a_store() {
    let served = Served::start().await;
    let jobs = served.jobs();
    for number in 0..250_u32 {
        jobs.enqueue(format!("job-{number}"), number).await.unwrap();
    }
    let router = Router::new(()).fallback(|number: u32, job| async move {
        job.report_progress(&number)?;
        assert_eq!((job.attempt(), job.meta().epoch), (1, 1));
        Ok(number * 2)
    });
    let builder = ServiceWorker::builder(served.options(), numbers(), router).until_empty();
    let report = Working::start(builder).await.ended().await.unwrap();
    assert_eq!((report.started, report.completed), (250, 250));
    assert_eq!(jobs.result(&JobId::new("job-21").unwrap()).await.unwrap(), Some(42));
}

#[tokio::test]
async fn a_failed_attempt_is_tried_again_after_the_wait_of_the_worker_and_fails_for_good_in_the_end() {
    let served = Served::start().await;
    let jobs = served.jobs();
    jobs.enqueue("flaky", 1).await.unwrap();
    jobs.enqueue("hopeless", 2).await.unwrap();
    let router = Router::new(()).fallback(|number: u32, job| async move {
        match (number, job.attempt()) {
            (1, 1) => Err(JobError::named("Busy", "try again")),
            (1, _) => Ok(job.meta().last_error.as_ref().map_or(0, |error| error.name().len() as u32)),
            _ => Err(JobError::named("Never", "no").as_terminal()),
        }
    });
    let builder = ServiceWorker::builder(served.options(), numbers(), router)
        .retry(RetryPolicy::Fixed(Duration::ZERO))
        .poll_interval(Duration::from_millis(20))
        .until_empty();
    let report = Working::start(builder).await.ended().await.unwrap();
    assert_eq!((report.completed, report.failing, report.failed), (1, 1, 1));
    assert_eq!(jobs.result(&JobId::new("flaky").unwrap()).await.unwrap(), Some(4));
    assert_eq!(served.state("hopeless").await, Some(State::Failed));
}

#[tokio::test]
async fn a_cancel_reaches_the_handler() {
    let served = Served::start().await;
    let jobs = served.jobs();
    jobs.enqueue("long", 1).await.unwrap();
    let router = Router::new(()).fallback(|_: u32, job| async move {
        job.cancelled().await;
        assert_eq!(job.cancel_reason(), Some(CancelReason::Requested));
        Err::<u32, _>(JobError::release())
    });
    let builder = ServiceWorker::builder(served.options(), numbers(), router).lease(Duration::from_secs(1));
    let working = Working::start(builder).await;
    until("it runs", async || served.state("long").await == Some(State::Processing)).await;
    let asked = jobs.cancel_with(&JobId::new("long").unwrap(), OnProcessing::Request).await.unwrap();
    assert_eq!(asked, Change::Requested);
    until("it is cancelled", async || served.state("long").await == Some(State::Cancelled)).await;
    assert_eq!(working.stopped().await.cancelled, 1);
}

#[tokio::test]
async fn a_stop_waits_for_what_runs_and_asks_it_to_stop_at_the_deadline() {
    let served = Served::start().await;
    let jobs = served.jobs();
    jobs.enqueue("quick", 1).await.unwrap();
    jobs.enqueue("endless", 2).await.unwrap();
    let gate = Arc::new(Notify::new());
    let opened = gate.clone();
    let router = Router::new(()).fallback(move |number: u32, job| {
        let gate = gate.clone();
        async move {
            if number == 1 {
                gate.notified().await;
                return Ok(1);
            }
            job.cancelled().await;
            std::future::pending::<()>().await;
            Ok(2)
        }
    });
    let builder = ServiceWorker::builder(served.options(), numbers(), router)
        .drain_deadline(Duration::from_millis(500))
        .grace(Duration::from_millis(50));
    let working = Working::start(builder).await;
    until("both run", async || working.started() == 2).await;
    working.stop.cancel();
    opened.notify_one();
    let report = working.ended().await.unwrap();
    assert_eq!((report.completed, report.released, report.abandoned), (1, 1, 0));
    assert_eq!(served.state("endless").await, Some(State::Queued));
}
