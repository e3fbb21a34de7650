//! Pull mode: taking jobs, extending their leases, and settling them.

use crate::support::{SECOND, memory, on, raw, spawn, take, texts};
use queue::{
    Change, CodecError, ErrorKind, Extended, Failure, JobOptions, Keep, Nack, OnProcessing, Queue, Raw,
    Reason, Settled, State,
};
use std::{error::Error as _, time::Duration};
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn a_job_is_taken_worked_on_and_acknowledged() {
    let queue = texts();
    queue.enqueue("a", "work".to_owned()).await.unwrap();
    let job = take(&queue).await;
    assert_eq!((job.id().as_str(), job.payload().as_str(), job.attempt()), ("a", "work", 1));
    assert_eq!(job.ack(&"done".to_owned()).await.unwrap(), Settled::Done);
    assert_eq!(queue.result("a").await.unwrap().as_deref(), Some("done"));
}

#[tokio::test(start_paused = true)]
async fn an_empty_queue_is_waited_for_and_no_longer_than_asked() {
    let queue = texts();
    let begun = Instant::now();
    assert!(queue.dequeue(Duration::ZERO).await.unwrap().is_none());
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert!(queue.dequeue(7 * SECOND).await.unwrap().is_none());
    assert_eq!(begun.elapsed(), 7 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_consumer_is_woken_by_the_enqueue_itself() {
    let queue = texts();
    let begun = Instant::now();
    let consumer = spawn({
        let queue = queue.clone();
        async move { queue.dequeue(60 * SECOND).await.unwrap().is_some() }
    });
    tokio::time::sleep(Duration::from_millis(10)).await;
    queue.enqueue("a", String::new()).await.unwrap();
    assert!(consumer.await.unwrap());
    assert_eq!(begun.elapsed(), Duration::from_millis(10), "it was polled for");
}

#[tokio::test(start_paused = true)]
async fn a_failed_attempt_runs_again_until_the_budget_is_spent() {
    let queue = texts();
    queue.enqueue_with("a", String::new(), JobOptions::new().max_attempts(2)).await.unwrap();
    for attempt in 1..=2 {
        let job = queue.dequeue(60 * SECOND).await.unwrap().unwrap();
        assert_eq!(job.attempt(), attempt);
        assert_eq!(job.nack(Failure::new("Io", "broken")).await.unwrap(), Settled::Done);
    }
    let status = queue.status("a").await.unwrap().unwrap();
    assert_eq!((status.state(), status.meta.reason), (State::Failed, Some(Reason::Exhausted)));
}

#[tokio::test(start_paused = true)]
async fn a_terminal_failure_ends_a_job_whatever_its_budget() {
    let queue = texts();
    queue.enqueue_with("a", String::new(), JobOptions::new().unlimited_attempts()).await.unwrap();
    let nack = Nack::new(Failure::new("NoSuchUser", "gone")).terminal();
    assert_eq!(take(&queue).await.nack(nack).await.unwrap(), Settled::Done);
    assert_eq!(queue.status("a").await.unwrap().unwrap().meta.reason, Some(Reason::Terminal));
}

#[tokio::test(start_paused = true)]
async fn a_release_and_a_snooze_charge_nothing() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    assert_eq!(take(&queue).await.release().await.unwrap(), Settled::Done);
    let job = take(&queue).await;
    assert_eq!(job.attempt(), 1);
    assert_eq!(job.snooze(9 * SECOND).await.unwrap(), Settled::Done);
    let status = queue.status("a").await.unwrap().unwrap();
    assert_eq!((status.state(), status.attempts(), status.due_in()), (State::Queued, 0, Some(9 * SECOND)));
}

#[tokio::test(start_paused = true)]
async fn a_lapsed_job_is_rescued_by_the_next_consumer_and_its_holder_can_change_nothing() {
    let store = memory();
    let (slow, quick) = (on(store.clone()), on(store));
    slow.enqueue("a", String::new()).await.unwrap();
    let late = take(&slow).await;
    let begun = Instant::now();
    let job = quick.dequeue(60 * SECOND).await.unwrap().unwrap();
    assert_eq!((job.attempt(), begun.elapsed()), (2, 30 * SECOND));
    assert_eq!(late.ack(&"late".to_owned()).await.unwrap(), Settled::LeaseLost);
    assert_eq!(late.nack(Failure::new("Late", "")).await.unwrap(), Settled::LeaseLost);
    assert_eq!(late.release().await.unwrap(), Settled::LeaseLost);
    assert_eq!(late.extend(SECOND).await.unwrap(), Extended::LeaseLost);
    assert_eq!(job.ack(&"in time".to_owned()).await.unwrap(), Settled::Done);
    assert_eq!(quick.result("a").await.unwrap().as_deref(), Some("in time"));
}

#[tokio::test(start_paused = true)]
async fn a_lapsed_job_is_rescued_even_if_the_queue_is_never_idle() {
    let queue = texts();
    queue.enqueue("lost", String::new()).await.unwrap();
    let _lost = take(&queue).await;
    let mut seen = Vec::new();
    for second in 0..40 {
        for other in 0..2 {
            queue.enqueue(format!("{second}-{other}"), String::new()).await.unwrap();
        }
        let job = take(&queue).await;
        seen.push(job.id().to_string());
        assert_eq!(job.ack(&String::new()).await.unwrap(), Settled::Done);
        tokio::time::sleep(SECOND).await;
    }
    assert!(seen.iter().any(|id| id == "lost"), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn an_extended_lease_lives_on() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let job = take(&queue).await;
    for _ in 0..4 {
        tokio::time::sleep(20 * SECOND).await;
        assert_eq!(job.extend(30 * SECOND).await.unwrap(), Extended::Done);
    }
    assert!(queue.dequeue(SECOND).await.unwrap().is_none());
    assert_eq!(job.extend(Duration::ZERO).await.unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(job.ack(&String::new()).await.unwrap(), Settled::Done);
}

#[tokio::test(start_paused = true)]
async fn a_lapsed_lease_is_not_extended_but_still_settles_while_nobody_else_has_the_job() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let job = take(&queue).await;
    tokio::time::sleep(31 * SECOND).await;
    assert_eq!(job.extend(SECOND).await.unwrap(), Extended::LeaseLost);
    assert_eq!(job.ack(&String::new()).await.unwrap(), Settled::Done);
}

#[tokio::test(start_paused = true)]
async fn the_same_settle_twice_is_done_twice_and_another_one_is_too_late() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let job = take(&queue).await;
    assert_eq!(job.ack(&String::new()).await.unwrap(), Settled::Done);
    assert_eq!(job.ack(&String::new()).await.unwrap(), Settled::Done);
    assert_eq!(job.nack(Failure::new("Second", "thoughts")).await.unwrap(), Settled::LeaseLost);
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_is_not_kept_is_missing_to_a_repeated_settle() {
    let queue = texts();
    let options = JobOptions::new().keep(Keep::Nothing);
    queue.enqueue_with("a", String::new(), options).await.unwrap();
    let job = take(&queue).await;
    assert_eq!(job.ack(&String::new()).await.unwrap(), Settled::Done);
    assert_eq!(job.ack(&String::new()).await.unwrap(), Settled::Missing);
    assert_eq!(job.extend(SECOND).await.unwrap(), Extended::Missing);
}

#[tokio::test(start_paused = true)]
async fn a_holder_hears_of_a_cancel_with_its_next_extension_and_its_failure_is_then_a_cancel() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let job = take(&queue).await;
    assert_eq!(job.extend(SECOND).await.unwrap(), Extended::Done);
    assert_eq!(queue.cancel_with("a", OnProcessing::Request).await.unwrap(), Change::Requested);
    assert_eq!(job.extend(SECOND).await.unwrap(), Extended::CancelRequested);
    assert_eq!(job.nack(Failure::new("Stopped", "as asked")).await.unwrap(), Settled::Done);
    assert_eq!(queue.status("a").await.unwrap().unwrap().state(), State::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_result_over_the_limit_is_refused_and_the_job_is_still_held() {
    let queue = texts();
    queue.enqueue("a", String::new()).await.unwrap();
    let job = take(&queue).await;
    let error = job.ack(&"x".repeat(2 << 20)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(job.ack(&"small".to_owned()).await.unwrap(), Settled::Done);
}

#[tokio::test(start_paused = true)]
async fn a_payload_of_another_type_or_codec_is_recorded_as_failed_and_the_queue_goes_on() {
    let store = memory();
    let queue = on(store.clone());
    let producer: Queue<Raw, Raw> = Queue::new(store, "texts").unwrap();
    let jobs = [("type", raw("17", "application/json")), ("codec", raw("\"t\"", "text/plain"))];
    for (id, payload) in jobs {
        producer.enqueue(id, payload).await.unwrap();
        let error = queue.dequeue(SECOND).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.source().unwrap().is::<CodecError>(), "{error:?}");
        let status = queue.status(id).await.unwrap().unwrap();
        assert_eq!((status.state(), status.meta.reason), (State::Failed, Some(Reason::Undecodable)));
    }
    queue.enqueue("fine", "t".to_owned()).await.unwrap();
    assert_eq!(take(&queue).await.id().as_str(), "fine");
}

#[tokio::test(start_paused = true)]
async fn consumers_share_the_jobs_and_none_is_given_out_twice() {
    let queue = texts();
    let jobs = (0..200).map(|n| (n.to_string(), String::new()));
    queue.enqueue_many(jobs, JobOptions::new()).await.unwrap();
    let consumers = (0..8).map(|_| {
        let queue = queue.clone();
        spawn(async move {
            let mut taken = Vec::new();
            while let Some(job) = queue.dequeue(SECOND).await.unwrap() {
                assert_eq!(job.ack(&String::new()).await.unwrap(), Settled::Done);
                taken.push(job.id().clone());
            }
            taken
        })
    });
    let mut all = Vec::new();
    for consumer in consumers.collect::<Vec<_>>() {
        all.extend(consumer.await.unwrap());
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 200);
}
