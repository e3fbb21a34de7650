//! Hints for callers that wait for a job.

use super::listen::{awaiting, change_with_result, reached};
use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{Budget, JobChange, State, lifecycle::Event};

cases! { "events":
    an_awaited_job_tells_its_end [I14] (Hints);
    an_awaited_job_tells_every_kind_of_end [I14] (Hints);
    an_awaited_job_tells_that_it_is_gone [I14] (Hints);
    a_job_awaited_later_tells_its_end [I14] (Hints);
    several_ids_are_told_on_one_stream [I14] (Hints);
    several_waiters_of_one_id_are_told [I14] (Hints);
    what_happened_before_is_not_needed [I14] (Hints);
    hints_follow_the_write [I13 I14] (Hints);
    a_result_that_comes_with_a_hint_is_the_stored_one [I13 I14] (Hints);
}

/// The hint carries life, revision and state.
async fn an_awaited_job_tells_its_end(bench: &Bench) {
    let seq = bench.put_job(job("a").awaited()).await;
    let mut stream = awaiting(bench, &["a"]).await;
    let meta = bench.complete(&bench.claim_one().await).await;
    let change = reached(&mut stream, "a", Some(State::Completed)).await;
    assert_eq!(
        change,
        JobChange { id: id("a"), seq, revision: meta.revision, state: Some(State::Completed) }
    );
}

/// The job fails or is cancelled, by any event.
async fn an_awaited_job_tells_every_kind_of_end(bench: &Bench) {
    let texts = ["failed", "cancelled", "marked", "stalled"];
    let mut stream = awaiting(bench, &texts).await;
    bench.put_job(job("failed").awaited()).await;
    bench.fail_terminally(&bench.claim_one().await).await;
    reached(&mut stream, "failed", Some(State::Failed)).await;
    bench.put_job(job("cancelled").awaited()).await;
    bench.cancel("cancelled").await;
    reached(&mut stream, "cancelled", Some(State::Cancelled)).await;
    bench.put_job(job("marked").awaited()).await;
    let held = bench.claim_one().await;
    bench.cancel("marked").await;
    bench.release(&held).await;
    reached(&mut stream, "marked", Some(State::Cancelled)).await;
    bench.put_job(job("stalled").awaited().with_max_stalls(Budget::from_raw(1))).await;
    bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    reached(&mut stream, "stalled", Some(State::Failed)).await;
}

/// Otherwise its waiters would wait for ever.
async fn an_awaited_job_tells_that_it_is_gone(bench: &Bench) {
    let seq = bench.put_job(job("a").awaited()).await;
    let mut stream = awaiting(bench, &["a"]).await;
    bench.changed("a", Event::Delete).await;
    assert_eq!(reached(&mut stream, "a", None).await.seq, seq);
}

async fn a_job_awaited_later_tells_its_end(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let mut stream = awaiting(bench, &["a"]).await;
    bench.changed("a", Event::Await).await;
    bench.complete(&held).await;
    reached(&mut stream, "a", Some(State::Completed)).await;
}

async fn several_ids_are_told_on_one_stream(bench: &Bench) {
    let mut stream = awaiting(bench, &["a", "b", "c"]).await;
    for text in ["c", "a", "b"] {
        bench.put_job(job(text).awaited()).await;
        bench.complete(&bench.claim_one().await).await;
        reached(&mut stream, text, Some(State::Completed)).await;
    }
}

/// Each waiter has its own stream.
async fn several_waiters_of_one_id_are_told(bench: &Bench) {
    bench.put_job(job("a").awaited()).await;
    let mut streams = Vec::new();
    for _ in 0..5 {
        streams.push(awaiting(bench, &["a"]).await);
    }
    drop(streams.remove(2));
    bench.complete(&bench.claim_one().await).await;
    for stream in &mut streams {
        reached(stream, "a", Some(State::Completed)).await;
    }
}

/// A waiter subscribes and then reads, so nothing is lost in between.
async fn what_happened_before_is_not_needed(bench: &Bench) {
    bench.put_job(job("a").awaited()).await;
    let held = bench.claim_one().await;
    let mut stream = awaiting(bench, &["a"]).await;
    assert_eq!(bench.state("a").await, Some(State::Processing));
    bench.complete(&held).await;
    reached(&mut stream, "a", Some(State::Completed)).await;
}

/// A reader finds what a hint announced.
async fn hints_follow_the_write(bench: &Bench) {
    for round in 0..20 {
        let text = nth(round).to_string();
        bench.put_job(job(&text).awaited()).await;
        let mut stream = awaiting(bench, &[&text]).await;
        let held = bench.claim_one().await;
        let settle = bench.complete(&held);
        let read = async {
            reached(&mut stream, &text, Some(State::Completed)).await;
            assert_eq!(bench.result(&text).await.as_deref(), Some(RESULT));
        };
        futures_util::future::join(settle, read).await;
    }
}

/// A waiter takes such a result without a look at the record.
async fn a_result_that_comes_with_a_hint_is_the_stored_one(bench: &Bench) {
    let results = [String::new(), RESULT.to_owned(), "r".repeat(100), "r".repeat(5000)];
    let texts = ["a", "b", "c", "d"];
    let mut stream = awaiting(bench, &texts).await;
    for text in texts {
        bench.put_job(job(text).awaited().with_tags(tags(["a-tag"]))).await;
    }
    let claimed = bench.claim(texts.len()).await;
    let each = claimed.iter().zip(&results);
    let mut settles: Vec<_> = each
        .map(|(job, result)| decided(&job.record.meta, complete_with(job.token, text_payload(result))))
        .collect();
    // One by itself, and the others in one call.
    bench.apply(settles.remove(1)).await;
    bench.apply_all(settles).await;
    for _ in texts {
        let (change, completed) = change_with_result(&mut stream).await;
        assert_eq!(change.state, Some(State::Completed));
        let Some(completed) = completed else { continue };
        let record = bench.record(change.id.as_str()).await;
        assert_eq!((completed.seq, completed.revision), (record.meta.seq, record.meta.revision));
        assert_eq!(Some(&completed.result), record.result());
    }
}
