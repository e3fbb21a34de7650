//! Reading, cancelling, redriving, listing and pruning jobs, and pausing queues.

use crate::support::{Fault, Faulty, SECOND, memory, on, take, texts};
use futures_util::StreamExt;
use queue::{
    Change, CodecError, Enqueued, ErrorKind, Failure, JobOptions, Keep, Nack, OnProcessing, Prune, Queue,
    Settled, State,
};
use std::{error::Error, pin::pin, sync::atomic::AtomicU32};

#[tokio::test(start_paused = true)]
async fn a_status_follows_the_life_of_a_job() {
    let queue = texts();
    assert!(queue.status("a").await.unwrap().is_none());
    let options = JobOptions::new().delay(5 * SECOND).keep(60 * SECOND);
    queue.enqueue_with("a", String::new(), options).await.unwrap();
    let waiting = queue.status("a").await.unwrap().unwrap();
    assert_eq!((waiting.state(), waiting.attempts(), waiting.due_in()), (State::Queued, 0, Some(5 * SECOND)));
    assert!(waiting.is_scheduled());

    let job = queue.dequeue(10 * SECOND).await.unwrap().unwrap();
    let running = queue.status("a").await.unwrap().unwrap();
    assert_eq!((running.state(), running.attempts(), running.due_in()), (State::Processing, 1, None));

    let _ = job.nack(Nack::new(Failure::new("Io", "broken")).retry_in(3 * SECOND)).await.unwrap();
    let failing = queue.status("a").await.unwrap().unwrap();
    assert_eq!(
        (failing.state(), failing.attempts(), failing.due_in()),
        (State::Failing, 1, Some(3 * SECOND))
    );
    assert_eq!(failing.meta.last_error.as_ref().unwrap().name(), "Io");

    let _ = queue.dequeue(10 * SECOND).await.unwrap().unwrap().ack(&String::new()).await.unwrap();
    let done = queue.status("a").await.unwrap().unwrap();
    assert_eq!((done.state(), done.attempts(), done.kept_for()), (State::Completed, 2, Some(60 * SECOND)));
}

#[tokio::test(start_paused = true)]
async fn a_result_is_there_only_once_the_job_is_completed() {
    let queue = texts();
    assert_eq!(queue.result("a").await.unwrap(), None);
    queue.enqueue("a", String::new()).await.unwrap();
    assert_eq!(queue.result("a").await.unwrap(), None);
    let _ = take(&queue).await.ack(&"done".to_owned()).await.unwrap();
    assert_eq!(queue.result("a").await.unwrap().as_deref(), Some("done"));
    tokio::time::sleep(3601 * SECOND).await;
    assert_eq!(queue.result("a").await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn a_payload_is_there_as_long_as_its_job_whatever_the_state() {
    let queue = texts();
    assert_eq!(queue.payload("a").await.unwrap(), None);
    assert_eq!(queue.payload_bytes("a").await.unwrap(), None);
    queue.enqueue("a", "in".to_owned()).await.unwrap();
    assert_eq!(queue.payload("a").await.unwrap().as_deref(), Some("in"));
    let job = take(&queue).await;
    assert_eq!(queue.payload("a").await.unwrap().as_deref(), Some("in"));
    let _ = job.ack(&"out".to_owned()).await.unwrap();
    assert_eq!(queue.payload("a").await.unwrap().as_deref(), Some("in"));
    tokio::time::sleep(3601 * SECOND).await;
    assert_eq!(queue.payload("a").await.unwrap(), None, "it goes with its job");
    assert_eq!(queue.payload("a\n").await.unwrap_err().kind(), ErrorKind::Invalid, "no job has such an id");
}

#[tokio::test(start_paused = true)]
async fn a_payload_of_another_type_is_an_error_and_its_bytes_can_be_read_all_the_same() {
    let storage = memory();
    on(storage.clone()).enqueue("a", "no number".to_owned()).await.unwrap();
    let numbers: Queue<u32> = Queue::new(storage, "texts").unwrap();
    let error = numbers.payload("a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.source().is_some_and(<dyn Error>::is::<CodecError>), "{error:?}");
    let stored = numbers.payload_bytes("a").await.unwrap().unwrap();
    assert_eq!(
        (&stored.bytes[..], stored.content_type.as_str()),
        (&b"\"no number\""[..], "application/json")
    );
}

#[tokio::test(start_paused = true)]
async fn cancelling_answers_what_became_of_the_job() {
    let queue = texts();
    assert_eq!(queue.cancel("a").await.unwrap(), Change::Missing);
    queue.enqueue("a", String::new()).await.unwrap();
    assert_eq!(queue.cancel("a").await.unwrap(), Change::Done);
    assert_eq!(queue.cancel("a").await.unwrap(), Change::Done);
    assert!(queue.enqueue("a", String::new()).await.unwrap().is_new(), "a cancelled record blocks nothing");

    let job = take(&queue).await;
    assert_eq!(queue.cancel("a").await.unwrap(), Change::NotAllowed(State::Processing));
    assert_eq!(queue.cancel_with("a", OnProcessing::Request).await.unwrap(), Change::Requested);
    assert_eq!(queue.cancel_with("a", OnProcessing::Request).await.unwrap(), Change::Requested);
    let _ = job.ack(&String::new()).await.unwrap();
    assert_eq!(queue.cancel("a").await.unwrap(), Change::NotAllowed(State::Completed));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_is_not_kept_is_cancelled_all_the_same() {
    let queue = texts();
    let options = JobOptions::new().keep(Keep::Nothing);
    queue.enqueue_with("a", String::new(), options).await.unwrap();
    assert_eq!(queue.cancel("a").await.unwrap(), Change::Done);
    assert_eq!(queue.cancel("a").await.unwrap(), Change::Missing);
}

#[tokio::test(start_paused = true)]
async fn retention_changes_for_finished_jobs_alone() {
    let queue = texts();
    assert_eq!(queue.set_retention("a", SECOND).await.unwrap(), Change::Missing);
    queue.enqueue("a", String::new()).await.unwrap();
    assert_eq!(queue.set_retention("a", SECOND).await.unwrap(), Change::NotAllowed(State::Queued));
    let _ = take(&queue).await.ack(&String::new()).await.unwrap();
    assert_eq!(queue.set_retention("a", 7 * SECOND).await.unwrap(), Change::Done);
    assert_eq!(queue.status("a").await.unwrap().unwrap().kept_for(), Some(7 * SECOND));
    assert_eq!(queue.set_retention("a", Keep::Forever).await.unwrap(), Change::Done);
    assert_eq!(queue.status("a").await.unwrap().unwrap().kept_for(), None);
    let error = queue.set_retention("a", std::time::Duration::ZERO).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(queue.set_retention("a", Keep::Nothing).await.unwrap(), Change::Done);
    assert!(queue.status("a").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_failed_job_is_redriven_in_the_same_life_with_fresh_budgets() {
    let queue = texts();
    let once = JobOptions::new().max_attempts(1);
    let first = queue.enqueue_with("a", String::new(), once).await.unwrap();
    assert_eq!(queue.redrive("a").await.unwrap(), Change::NotAllowed(State::Queued));
    let _ = take(&queue).await.nack(Failure::new("Io", "broken")).await.unwrap();
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Failed);
    assert_eq!(queue.redrive("a").await.unwrap(), Change::Done);
    let job = take(&queue).await;
    assert_eq!((job.attempt(), Some(job.meta().seq)), (1, first.seq()));
}

#[tokio::test(start_paused = true)]
async fn promoting_makes_a_job_due_and_deleting_frees_its_id() {
    let queue = texts();
    let later = JobOptions::new().delay(60 * SECOND);
    queue.enqueue_with("a", String::new(), later).await.unwrap();
    assert_eq!(queue.promote("a").await.unwrap(), Change::Done);
    let job = take(&queue).await;
    assert_eq!(queue.promote("a").await.unwrap(), Change::NotAllowed(State::Processing));
    assert_eq!(queue.delete("a").await.unwrap(), Change::NotAllowed(State::Processing));
    assert_eq!(job.release().await.unwrap(), Settled::Done);
    assert_eq!(queue.delete("a").await.unwrap(), Change::Done);
    assert_eq!(queue.delete("a").await.unwrap(), Change::Missing);
    assert!(matches!(queue.enqueue("a", String::new()).await.unwrap(), Enqueued::Queued { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_paused_queue_gives_nothing_until_it_is_resumed() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    queue.pause().await.unwrap();
    assert!(queue.dequeue(SECOND).await.unwrap().is_none());
    queue.resume().await.unwrap();
    assert!(queue.dequeue(SECOND).await.unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn jobs_are_counted_and_listed_page_by_page() {
    let queue = texts();
    let jobs = (0..25).map(|n| (format!("{n:02}"), String::new()));
    queue.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    let _running = take(&queue).await;
    let counts = queue.counts().await.unwrap();
    assert_eq!((counts.of(State::Queued), counts.of(State::Processing), counts.total()), (24, 1, 25));

    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let page = queue.jobs().queued().limit(10).after(after).page().await.unwrap();
        assert!(page.jobs.len() <= 10);
        ids.extend(page.jobs.into_iter().map(|job| job.id.as_str().to_owned()));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(ids, (1..25).map(|n| format!("{n:02}")).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn text_that_is_no_id_is_refused_by_every_method() {
    let queue = texts();
    let kinds = [
        queue.status("").await.unwrap_err().kind(),
        queue.result("a\n").await.unwrap_err().kind(),
        queue.cancel("").await.unwrap_err().kind(),
        queue.redrive("").await.unwrap_err().kind(),
        queue.wait("", SECOND).await.unwrap_err().kind(),
    ];
    assert!(kinds.iter().all(|kind| *kind == ErrorKind::Invalid));
}

#[tokio::test(start_paused = true)]
async fn a_listing_of_many_pages_goes_on_after_an_error() {
    let store = memory();
    let jobs = (0..1_001).map(|n| (format!("{n:04}"), String::new()));
    on(store.clone()).enqueue_many(jobs, JobOptions::new()).await.unwrap();
    let queue = on(Faulty::wrap(store, Fault::ListFails(AtomicU32::new(1))));
    let mut all = pin!(queue.jobs().all());
    assert_eq!(all.next().await.unwrap().unwrap_err().kind(), ErrorKind::Unavailable);
    let ids: Vec<String> = all.map(|status| status.unwrap().meta.id.to_string()).collect().await;
    assert_eq!(ids, (0..1_001).map(|n| format!("{n:04}")).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_listing_may_be_asked_again_at_its_end() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let mut all = pin!(queue.jobs().all());
    assert!(all.next().await.unwrap().is_ok());
    for _ in 0..2 {
        assert!(all.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn every_failed_job_runs_again_at_a_word() {
    let queue = texts();
    let options = JobOptions::new().max_attempts(1);
    queue.enqueue_many((0..3).map(|n| (n.to_string(), String::new())), options).await.unwrap();
    for _ in 0..2 {
        let _ = take(&queue).await.nack(Nack::new(Failure::new("Io", "broken"))).await.unwrap();
    }
    let redriven = queue.jobs().failed().redrive_all().await.unwrap();
    assert_eq!((redriven.done, redriven.skipped, redriven.failed), (2, 0, 0));
    assert_eq!(queue.counts().await.unwrap().of(State::Queued), 3);
    // A job that is not terminal is skipped.
    let passed_by = queue.jobs().redrive_all().await.unwrap();
    assert_eq!((passed_by.done, passed_by.skipped, passed_by.failed), (0, 3, 0));
}

#[tokio::test(start_paused = true)]
async fn a_prune_of_everything_needs_one_call() {
    let queue = texts();
    let jobs = (0..1_001).map(|n| (n.to_string(), String::new()));
    queue.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    assert_eq!(queue.prune_all(Prune::Expired).await.unwrap(), 0);
    assert_eq!(queue.prune_all(Prune::Everything).await.unwrap(), 1_001);
    assert_eq!(queue.counts().await.unwrap().total(), 0);
}
