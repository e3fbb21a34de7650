//! Attempts by outcome, for every way to end one, with and without a record that stays.

use crate::support::{Measured, count};
use queue::worker::{Context, JobError, WorkerReport};
use queue::{JobOptions, Keep, Queue, RetryPolicy};
use std::{io, time::Duration};

const ATTEMPTS: &str = "queue_job_attempts_total";

async fn handle(order: String, _: Context) -> Result<String, JobError> {
    match order.as_str() {
        "fail" => Err(io::Error::other("no"))?,
        "give up" => Err(JobError::named("Gone", "404").as_terminal()),
        "snooze" => Err(JobError::snooze(Duration::from_secs(3600))),
        _ => Ok(order),
    }
}

async fn work(measured: &Measured) -> WorkerReport {
    let worker =
        measured.queue("mails").work_with(handle).retry(RetryPolicy::custom(|_| Some(Duration::ZERO)));
    measured.observed(worker).until_idle().build().expect("it is complete").run().await
}

async fn orders(measured: &Measured, options: &JobOptions) {
    for (n, order) in ["fine", "fail", "give up", "snooze", "fine"].iter().enumerate() {
        let queue = measured.queue("mails");
        queue
            .enqueue_with(format!("{order} {n}"), (*order).to_owned(), options.clone())
            .await
            .expect("it is stored");
    }
}

fn of(measured: &Measured, outcome: &str) -> u64 {
    count(measured, ATTEMPTS, &[("messaging_destination_name", "mails"), ("outcome", outcome)])
}

fn assert_agrees(measured: &Measured, report: &WorkerReport) {
    let counted = ["completed", "failing", "failed", "released", "cancelled"].map(|word| of(measured, word));
    let reported = [report.completed, report.failing, report.failed, report.released, report.cancelled];
    assert_eq!(counted, reported, "{}", measured.prometheus.text());
}

#[tokio::test]
async fn attempts_are_those_of_the_report_of_the_worker() {
    let measured = Measured::new();
    orders(&measured, &JobOptions::new().max_attempts(3)).await;
    let report = work(&measured).await;
    assert_eq!((report.completed, report.failing, report.failed, report.released), (2, 2, 2, 1));
    assert_agrees(&measured, &report);
    assert_eq!(count(&measured, ATTEMPTS, &[("reason", "exhausted")]), 1);
    assert_eq!(count(&measured, ATTEMPTS, &[("reason", "terminal")]), 1);
    assert_eq!(count(&measured, "messaging_process_duration_seconds_count", &[]), 7, "each handler that ran");
    assert_eq!(count(&measured, "queue_job_held_duration_seconds_count", &[]), 7);
    assert_eq!(count(&measured, "queue_job_wait_duration_seconds_count", &[]), 7);
    assert_eq!(count(&measured, "messaging_client_consumed_messages_total", &[]), 7);
}

#[tokio::test]
async fn records_that_go_at_once_are_counted_alike() {
    let measured = Measured::new();
    orders(&measured, &JobOptions::new().max_attempts(2).keep(Keep::Nothing)).await;
    let report = work(&measured).await;
    assert_eq!((report.completed, report.failing, report.failed, report.released), (2, 1, 2, 1));
    assert_agrees(&measured, &report);
}

/// The lease lapses by the store's clock, so this test waits for real.
#[tokio::test]
async fn a_lapse_is_a_stall_and_one_too_many_a_failure() {
    let measured = Measured::new();
    let queue = measured.queue("mails");
    for (id, stalls) in [("often", 5), ("once", 1)] {
        let options = JobOptions::new().max_stalls(stalls).max_attempts(1);
        queue.enqueue_with(id, "fine".to_owned(), options).await.unwrap();
    }
    let claimer = Queue::<String, String>::builder(measured.storage.clone(), "mails");
    let claimer = claimer.lease(Duration::from_millis(300)).build().unwrap();
    for _ in 0..2 {
        // The job is leaked so that its drop does not give the lease back.
        std::mem::forget(claimer.dequeue(Duration::ZERO).await.unwrap().expect("a job is due"));
    }
    let worker = queue.work_with(handle).rescue_interval(Duration::from_millis(100)).until_empty();
    let report = measured.observed(worker).build().unwrap().run().await;
    assert_eq!((report.rescued, report.completed), (2, 1));
    assert_eq!((of(&measured, "stalled"), of(&measured, "completed")), (1, 1));
    assert_eq!(count(&measured, ATTEMPTS, &[("outcome", "failed"), ("reason", "stalled")]), 1);
}

#[tokio::test]
async fn jobs_that_follow_are_sent() {
    let measured = Measured::new();
    let queue = measured.queue("mails");
    let next = queue.new_job("b", &"fine".to_owned(), &JobOptions::new()).unwrap();
    queue.enqueue("a", "fine".to_owned()).await.unwrap();
    let worker = queue.work_with(move |order, context: Context| {
        let next = next.clone();
        async move {
            if context.meta().id.as_str() == "a" {
                context.then(next);
            }
            Ok(order)
        }
    });
    measured.observed(worker).until_idle().build().unwrap().run().await;
    assert_eq!(count(&measured, "messaging_client_sent_messages_total", &[("outcome", "queued")]), 1);
    assert_eq!(count(&measured, "messaging_client_sent_messages_total", &[("outcome", "follower")]), 1);
    assert_eq!(of(&measured, "completed"), 2);
}
