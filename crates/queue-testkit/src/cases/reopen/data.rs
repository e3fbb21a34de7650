//! What was written is still there.

use super::all_records;
use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{
    Enqueued, Pause, Prune, Retention, Span, State,
    lifecycle::{Cause, Event},
};

cases! { "reopen":
    every_record_is_as_it_was [I1 I21] (Reopen);
    an_empty_store_can_be_reopened [I21] (Reopen);
    many_reopens_lose_nothing [I1 I21] (Reopen);
    removed_jobs_stay_removed [I20 I21] (Reopen);
    ids_block_as_before [I9 I21] (Reopen);
    results_and_errors_are_kept [I13 I21] (Reopen);
    binary_payloads_are_kept [I2 I21] (Reopen);
    counts_and_next_due_are_kept [I15 I20 I21] (Reopen);
    a_pause_is_kept [I21] (Reopen Pause);
    queues_stay_apart [I20 I21] (Reopen);
    followers_are_kept_with_their_completion [I1 I21] (Reopen);
    it_adds_up_after_a_reopen [I20 I21] (Reopen Verify);
}

/// The jobs are in every state, and every field is compared.
async fn every_record_is_as_it_was(bench: &Bench) {
    let held = bench.put_one_of_each().await;
    let progress = Some(bytes::Bytes::from_static(b"half"));
    bench.settled(&held, Event::Extend { token: held.token, by: KEPT, progress }).await;
    bench.cancel("processing").await;
    bench
        .put_job(job("rich").with_priority(-7).with_delay(KEPT).with_retention(Retention::Forever).awaited())
        .await;
    let before = all_records(bench).await;
    assert_eq!(before.len(), 7);
    bench.reopen().await;
    assert_eq!(all_records(bench).await, before);
}

async fn an_empty_store_can_be_reopened(bench: &Bench) {
    bench.reopen().await;
    bench.assert_nothing_due().await;
    bench.put_and_claim("a").await;
}

/// Each reopening adds one job.
async fn many_reopens_lose_nothing(bench: &Bench) {
    for n in 0..10 {
        bench.put(nth(n).as_str()).await;
        bench.reopen().await;
    }
    assert_eq!(bench.claim_ids(20).await, (0..10).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

/// The jobs are removed in every way.
async fn removed_jobs_stay_removed(bench: &Bench) {
    bench.put_many(2).await;
    bench.changed(nth(0).as_str(), Event::Delete).await;
    bench.changed(nth(1).as_str(), Event::Delete).await;
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    bench.complete(&bench.claim_one().await).await;
    bench.put("b").await;
    bench.prune(Prune::Everything, 10).await;
    bench.reopen().await;
    assert_eq!(bench.counts().await.total(), 0);
    bench.assert_nothing_due().await;
}

/// Deduplication by id is durable.
async fn ids_block_as_before(bench: &Bench) {
    bench.put_one_of_each().await;
    bench.reopen().await;
    for (text, state) in [
        ("queued", State::Queued),
        ("processing", State::Processing),
        ("failing", State::Failing),
        ("failed", State::Failed),
    ] {
        assert!(
            matches!(bench.enqueue(job(text)).await, Enqueued::Duplicate { state: found, .. } if found == state)
        );
    }
    assert!(
        matches!(bench.enqueue(job("completed")).await, Enqueued::Completed { result: Some(result), .. } if result == text_payload(RESULT))
    );
    assert!(bench.enqueue(job("cancelled")).await.is_new());
}

/// Large parts are kept too.
async fn results_and_errors_are_kept(bench: &Bench) {
    let held = bench.put_and_claim("failed").await;
    let event = Event::Fail {
        token: held.token,
        failure: failure().with_details("why".into()),
        cause: Cause::Terminal,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    bench.settled(&held, event).await;
    let held = bench.put_and_claim("completed").await;
    bench.settled(&held, complete_with(held.token, bytes_payload(vec![7; 100_000]))).await;
    bench.reopen().await;
    assert_eq!(bench.record("completed").await.result(), Some(&bytes_payload(vec![7; 100_000])));
    let failed = bench.record("failed").await;
    assert_eq!(failed.body.expect("asked for").error_details.as_deref(), Some(&b"why"[..]));
    assert_eq!(failed.meta.last_error, Some(failure()));
}

/// The payloads contain all byte values, or none.
async fn binary_payloads_are_kept(bench: &Bench) {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    bench.put_job(job_with("all", bytes_payload(all.clone()))).await;
    bench.put_job(job_with("none", bytes_payload(""))).await;
    bench.reopen().await;
    let held = bench.claim(2).await;
    assert_eq!(held[0].record.body.clone().expect("given").payload, bytes_payload(all));
    assert_eq!(held[1].record.body.clone().expect("given").payload, bytes_payload(""));
}

async fn counts_and_next_due_are_kept(bench: &Bench) {
    bench.put_one_of_each().await;
    bench.put_job(job("later").with_delay(Span::from_secs(5))).await;
    bench.claim(10).await;
    let counts = bench.counts().await;
    let next_due = bench.next_due().await;
    bench.reopen().await;
    assert_eq!((bench.counts().await, bench.next_due().await), (counts, next_due));
}

async fn a_pause_is_kept(bench: &Bench) {
    bench.put("a").await;
    bench.store().set_paused(bench.queue(), None, Pause::UntilResumed).await.expect("it can pause");
    bench.reopen().await;
    let claimed = bench.send(bench.request(1)).await;
    assert!(claimed.pause.is_on(), "{claimed:?}");
    bench.store().set_paused(bench.queue(), None, Pause::Off).await.expect("it can pause");
    bench.reopen().await;
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

async fn queues_stay_apart(bench: &Bench) {
    let other = bench.on_queue("other");
    bench.put("a").await;
    other.put("a").await;
    other.cancel("a").await;
    bench.reopen().await;
    assert_eq!(
        (bench.state("a").await, other.state("a").await),
        (Some(State::Queued), Some(State::Cancelled))
    );
}

/// The step is atomic on disk too.
async fn followers_are_kept_with_their_completion(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let sent = decided(&held.record.meta, complete_then(held.token, vec![job("next")]));
    assert_done!([bench.apply(sent.clone()).await]);
    bench.reopen().await;
    assert_eq!(
        (bench.state("a").await, bench.state("next").await),
        (Some(State::Completed), Some(State::Queued))
    );
    bench.changed("next", Event::Delete).await;
    assert_done!([bench.apply(sent).await]);
    assert_eq!(bench.state("next").await, None);
}

/// Some records are overdue, some are not.
async fn it_adds_up_after_a_reopen(bench: &Bench) {
    bench.put_one_of_each().await;
    bench.advance(KEPT);
    bench.put("new").await;
    bench.reopen().await;
    assert_eq!(bench.store().verify().await.expect("it can verify"), Vec::<String>::new());
}
