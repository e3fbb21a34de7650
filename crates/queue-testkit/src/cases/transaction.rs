//! Transactions of the application, which the store joins: its jobs commit with its data, or not at
//! all.

use crate::bench::prelude::*;
use crate::cases::cases;
use futures_util::StreamExt as _;
use queue_core::{
    Changed, Detail, Enqueued, ErrorKind, Interest, JobId, Limits, Retention, Span, State, StorageExt,
    lifecycle::{Event, OnProcessing},
};

cases! { "transaction":
    its_jobs_are_there_once_it_commits [I1 I18] (Transactions);
    its_jobs_are_absent_once_it_rolls_back [I9 I15 I18] (Transactions);
    a_queue_and_a_priority_that_it_used_first_work_after_a_rollback [I18] (Transactions);
    its_commit_wakes [I18] (Transactions Hints);
    it_sees_its_own_jobs_and_those_before [I9 I18] (Transactions);
    what_it_is_refused_leaves_nothing [I17 I18] (Transactions);
    a_completion_stands_if_and_only_if_it_commits [I1 I6 I18] (Transactions);
    a_lost_lease_is_told_within [I4 I18] (Transactions);
    a_completion_is_decided_again_after_a_request_to_cancel [I8 I18] (Transactions);
    followers_come_with_their_completion [I18 I19] (Transactions);
    it_adds_up_after_commits_and_rollbacks [I15 I18 I20] (Transactions Verify);
}

async fn is_there(bench: &Bench, text: &str) -> bool {
    let id = JobId::new(text).expect("valid");
    bench.store().get_one(bench.queue(), &id, Detail::Meta).await.expect("it reads").is_some()
}

/// No other caller sees the jobs before.
async fn its_jobs_are_there_once_it_commits(bench: &Bench) {
    let mut transaction = bench.begin().await;
    let answers = transaction.enqueue(bench.queue(), &jobs(3)).await.expect("it enqueues");
    assert!(answers.iter().all(Enqueued::is_new), "{answers:?}");
    assert_eq!(bench.counts().await.total(), 0);
    assert!(!is_there(bench, nth(0).as_str()).await);
    transaction.commit().await.expect("it commits");
    assert_eq!(bench.counts().await.of(State::Queued), 3);
    assert_eq!(bench.claim_ids(9).await, (0..3).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

/// The ids are free.
async fn its_jobs_are_absent_once_it_rolls_back(bench: &Bench) {
    bench.put("before").await;
    let mut transaction = bench.begin().await;
    let later = job("b").with_delay(Span::from_secs(5));
    transaction.enqueue(bench.queue(), &[job("a"), later]).await.expect("it enqueues");
    transaction.rollback().await.expect("it rolls back");
    assert_eq!(bench.counts().await.total(), 1);
    assert!(!is_there(bench, "a").await);
    bench.put("a").await;
    assert_eq!(bench.claim_ids(9).await, ["before", "a"]);
}

/// A cached entry of a rolled-back row would lead nowhere.
async fn a_queue_and_a_priority_that_it_used_first_work_after_a_rollback(bench: &Bench) {
    let fresh = bench.on_queue("fresh");
    let mut transaction = bench.begin().await;
    for text in ["a", "b"] {
        transaction.enqueue(fresh.queue(), &[job(text).with_priority(7)]).await.expect("it enqueues");
    }
    transaction.rollback().await.expect("it rolls back");
    bench.on_queue("another").put("elsewhere").await;
    fresh.put_job(job("a").with_priority(7)).await;
    assert_eq!(fresh.claim_ids(9).await, ["a"]);
    assert_eq!(bench.on_queue("another").claim_ids(9).await, ["elsewhere"]);
}

/// Subscribers of the same handle are woken too.
async fn its_commit_wakes(bench: &Bench) {
    bench.put("a queue that is known").await;
    bench.claim(1).await;
    let mut stream = bench.store().subscribe(bench.queue(), Interest::Wake).await.expect("it subscribes");
    let mut transaction = bench.begin().await;
    transaction.enqueue(bench.queue(), &[job("a")]).await.expect("it enqueues");
    transaction.commit().await.expect("it commits");
    // A hint is only a reason to look; the last one comes after the commit.
    while bench.claim(1).await.is_empty() {
        stream.next().await.expect("the handle is open");
    }
}

/// The transaction's own enqueues take their ids at once.
async fn it_sees_its_own_jobs_and_those_before(bench: &Bench) {
    let done = bench.put_and_claim("done").await;
    bench.complete(&done).await;
    let mut transaction = bench.begin().await;
    let first = transaction.enqueue(bench.queue(), &[job("a")]).await.expect("it enqueues");
    let again = transaction.enqueue(bench.queue(), &[job("a"), job("done")]).await.expect("it enqueues");
    let seq = life(&first[0]);
    assert_eq!(again[0], Enqueued::Duplicate { seq, state: State::Queued });
    assert!(
        matches!(&again[1], Enqueued::Completed { result: Some(result), .. } if *result == text_payload(RESULT))
    );
    transaction.commit().await.expect("it commits");
    assert_eq!(bench.claim_ids(9).await, ["a"]);
}

/// The transaction can continue.
async fn what_it_is_refused_leaves_nothing(bench: &Bench) {
    let Limits { payload_bytes_max, .. } = bench.store().capabilities().limits;
    let mut transaction = bench.begin().await;
    let large = job_with("large", bytes_payload(vec![0; payload_bytes_max + 1]));
    let error = transaction.enqueue(bench.queue(), &[job("a"), large]).await.expect_err("it is too large");
    assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    transaction.enqueue(bench.queue(), &[job("b")]).await.expect("it enqueues");
    transaction.commit().await.expect("it commits");
    assert_eq!(bench.claim_ids(9).await, ["b"]);
}

/// The worker's own settle afterwards is answered as done, and writes nothing.
async fn a_completion_stands_if_and_only_if_it_commits(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    for (commits, expected) in [(false, State::Processing), (true, State::Completed)] {
        let mut transaction = bench.begin().await;
        let done = transaction.settle(&held.record.meta, complete_with(held.token, text_payload("x"))).await;
        assert!(matches!(done, Ok(Changed::Done(meta)) if meta.state == State::Completed));
        let ended = if commits { transaction.commit().await } else { transaction.rollback().await };
        ended.expect("it ends");
        assert_eq!(bench.record("a").await.meta.state, expected);
    }
    let before = bench.record("a").await;
    bench.settled(&held, complete_with(held.token, text_payload("y"))).await;
    assert_eq!(bench.record("a").await, before);
    assert_eq!(before.result(), Some(&text_payload("x")));
}

/// So the handler can roll back.
async fn a_lost_lease_is_told_within(bench: &Bench) {
    let late = bench.put_and_claim("a").await;
    bench.settled(&late, Event::release(late.token)).await;
    let now = bench.claim_one().await;
    let mut transaction = bench.begin().await;
    let lost = transaction.settle(&late.record.meta, complete_with(late.token, text_payload("x"))).await;
    assert!(matches!(lost, Ok(Changed::LeaseLost(_))), "{lost:?}");
    transaction.commit().await.expect("it commits nothing");
    bench.complete(&now).await;
}

/// The record has changed since the claim.
async fn a_completion_is_decided_again_after_a_request_to_cancel(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.changed("a", Event::Cancel { processing: OnProcessing::Request }).await;
    let mut transaction = bench.begin().await;
    let done = transaction.settle(&held.record.meta, complete_with(held.token, text_payload("x"))).await;
    assert!(matches!(done, Ok(Changed::Done(meta)) if meta.cancel_requested));
    transaction.commit().await.expect("it commits");
    assert_eq!(bench.record("a").await.meta.state, State::Completed);
}

async fn followers_come_with_their_completion(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    for commits in [false, true] {
        let mut transaction = bench.begin().await;
        let event = complete_then(held.token, vec![job("next")]);
        let done = transaction.settle(&held.record.meta, event).await;
        assert!(matches!(done, Ok(Changed::Done(_))), "{done:?}");
        let ended = if commits { transaction.commit().await } else { transaction.rollback().await };
        ended.expect("it ends");
        assert_eq!(is_there(bench, "next").await, commits);
    }
    assert_eq!(bench.claim_ids(9).await, ["next"]);
}

/// Counters, marks and orders stay consistent.
async fn it_adds_up_after_commits_and_rollbacks(bench: &Bench) {
    for n in 0..8 {
        let mut transaction = bench.begin().await;
        let kept = job(nth(n).as_str())
            .with_delay(Span::from_secs(i64::from(n % 2 == 1)))
            .with_retention(Retention::Remove);
        transaction.enqueue(bench.queue(), &[kept]).await.expect("it enqueues");
        let ended = if n % 3 == 0 { transaction.rollback().await } else { transaction.commit().await };
        ended.expect("it ends");
        for held in bench.claim(1).await {
            let mut transaction = bench.begin().await;
            let done =
                transaction.settle(&held.record.meta, complete_with(held.token, text_payload("x"))).await;
            assert!(matches!(done, Ok(Changed::Done(_))), "{done:?}");
            let ended = if n % 2 == 0 { transaction.rollback().await } else { transaction.commit().await };
            ended.expect("it ends");
        }
    }
    assert_eq!(bench.store().verify().await.expect("it verifies"), Vec::<String>::new());
}
