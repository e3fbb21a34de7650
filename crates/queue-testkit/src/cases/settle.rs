//! What each way of ending a lease writes.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Applied, Changed, Seq, State,
    lifecycle::{Event, Rejected},
};

cases! { "settle":
    completing_writes_the_end [I5 I13];
    failing_writes_the_failure [I7];
    releasing_puts_it_back_as_it_was [I22];
    snoozing_puts_it_off [I11];
    the_answer_is_what_a_read_shows [I20];
    each_settle_is_one_revision [I5];
    a_settle_carries_the_time_of_the_store [I24];
    a_job_that_nobody_enqueued_is_missing [I2];
    a_job_of_another_queue_is_missing [I2];
    a_settle_without_a_claim_changes_nothing [I4 I6];
    settling_one_job_leaves_the_others_of_its_claim [I4];
    the_last_error_stays_after_a_success [I13];
    an_empty_batch_is_fine [I19];
    a_job_can_complete_on_its_last_attempt [I7];
}

/// State, result, end and purge time change; nothing else does.
async fn completing_writes_the_end(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(RETRY);
    bench.complete(&held).await;
    let record = bench.record("a").await;
    let expected = queue_core::JobMeta {
        state: State::Completed,
        lease: None,
        revision: record.meta.revision,
        finished_at: Some(bench.now()),
        purge_at: Some(bench.now() + KEPT),
        ..held.record.meta
    };
    assert_eq!(record.meta, expected);
    assert_eq!(record.result(), Some(&text_payload(RESULT)));
}

/// Count, error and due time change.
async fn failing_writes_the_failure(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(RETRY);
    let meta = bench.fail(&held).await;
    let expected = queue_core::JobMeta {
        state: State::Failing,
        lease: None,
        revision: meta.revision,
        failures: 1,
        run_at: bench.now() + RETRY,
        last_error: Some(failure()),
        failed_at: Some(bench.now()),
        ..held.record.meta
    };
    assert_eq!(meta, expected);
}

/// Only the epoch and the time of the claim differ from before.
async fn releasing_puts_it_back_as_it_was(bench: &Bench) {
    bench.put("a").await;
    let before = bench.meta("a").await;
    bench.advance(MILLI);
    let held = bench.claim_one().await;
    let meta = bench.release(&held).await;
    let claimed_at = Some(bench.now());
    assert_eq!(meta, queue_core::JobMeta { epoch: 1, revision: meta.revision, claimed_at, ..before });
}

/// Only the due time changes.
async fn snoozing_puts_it_off(bench: &Bench) {
    bench.put("a").await;
    let before = bench.meta("a").await;
    bench.advance(MILLI);
    let held = bench.claim_one().await;
    let meta = bench.settled(&held, snooze(held.token)).await;
    let run_at = bench.now() + RETRY;
    let revision = meta.revision;
    let claimed_at = Some(bench.now());
    assert_eq!(meta, queue_core::JobMeta { epoch: 1, revision, run_at, claimed_at, ..before });
}

/// The case tries every settle and a heartbeat.
async fn the_answer_is_what_a_read_shows(bench: &Bench) {
    for (n, settle) in SETTLES.into_iter().enumerate() {
        let text = nth(n).to_string();
        let held = bench.put_and_claim(&text).await;
        let beat = bench.settled(&held, extend(held.token, KEPT)).await;
        assert_eq!(bench.meta(&text).await, beat);
        let answer = bench.settled(&held, settle(held.token)).await;
        assert_eq!(bench.meta(&text).await, answer);
        bench.changed(&text, Event::Delete).await;
    }
}

/// Watchers order hints by revision.
async fn each_settle_is_one_revision(bench: &Bench) {
    for settle in SETTLES {
        bench.put("a").await;
        let held = bench.claim_one().await;
        assert_eq!(held.record.meta.revision, 2);
        assert_eq!(bench.settled(&held, settle(held.token)).await.revision, 3);
        bench.changed("a", Event::Delete).await;
    }
}

/// Workers compute their leases from it.
async fn a_settle_carries_the_time_of_the_store(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(MILLI);
    let reply = bench.store().apply(vec![decided(&held.record.meta, extend(held.token, LEASE))]).await;
    assert_eq!(reply.expect("it answers").now, bench.now());
}

/// A forged record changes nothing and creates nothing.
async fn a_job_that_nobody_enqueued_is_missing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let mut forged = held.record.meta.clone();
    forged.id = id("never");
    assert_eq!(bench.apply(decided(&forged, complete(held.token))).await, Applied::Missing);
    forged.id = id("a");
    forged.seq = Seq::new(held.record.meta.seq.get() + 1);
    assert_eq!(bench.apply(decided(&forged, complete(held.token))).await, Applied::Missing);
    assert_eq!(bench.state("never").await, None);
}

/// An id belongs to a queue.
async fn a_job_of_another_queue_is_missing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let mut elsewhere = held.record.meta.clone();
    elsewhere.queue = bench.on_queue("other").queue().clone();
    assert_eq!(bench.apply(decided(&elsewhere, complete(held.token))).await, Applied::Missing);
    assert_eq!(bench.state("a").await, Some(State::Processing));
}

/// Without a token, neither `decide` nor the store lets a settle through.
async fn a_settle_without_a_claim_changes_nothing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let token = bench.request(1).token;
    let waiting = bench.release(&held).await;
    let before = bench.record("a").await;
    for settle in SETTLES {
        let refused = bench.change("a", settle(token)).await;
        assert_eq!(refused, Changed::Rejected(Rejected::NotAllowed(State::Queued)));
        let forced = decided(&held.record.meta, settle(token));
        assert_eq!(bench.apply(forced).await, Applied::LeaseLost(waiting.clone()));
    }
    assert_eq!(bench.record("a").await, before);
}

/// The jobs share a token only.
async fn settling_one_job_leaves_the_others_of_its_claim(bench: &Bench) {
    bench.put_many(3).await;
    let held = bench.claim(3).await;
    bench.complete(&held[1]).await;
    assert_eq!(bench.record(nth(0).as_str()).await, held[0].record);
    assert_eq!(bench.record(nth(2).as_str()).await, held[2].record);
    bench.fail(&held[0]).await;
    bench.release(&held[2]).await;
}

/// The error shows what earlier attempts met with.
async fn the_last_error_stays_after_a_success(bench: &Bench) {
    bench.fail(&bench.put_and_claim("a").await).await;
    bench.advance(RETRY);
    let meta = bench.complete(&bench.claim_one().await).await;
    assert_eq!((meta.last_error, meta.failures, meta.reason), (Some(failure()), 1, None));
}

async fn an_empty_batch_is_fine(bench: &Bench) {
    assert_eq!(bench.apply_all(vec![]).await, []);
}

/// The budget limits failures.
async fn a_job_can_complete_on_its_last_attempt(bench: &Bench) {
    bench.put("a").await;
    for _ in 0..2 {
        bench.fail(&bench.claim_one().await).await;
        bench.advance(RETRY);
    }
    let meta = bench.complete(&bench.claim_one().await).await;
    assert_eq!((meta.state, meta.attempts_made()), (State::Completed, 3));
}
