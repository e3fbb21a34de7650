//! Deduplication by id: which records block an id, and until when.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Budget, Enqueued, OnFailed, Prune, Retention, Span, State, lifecycle::Event};

cases! { "dedup":
    a_waiting_job_blocks_its_id_and_is_not_changed [I9];
    a_scheduled_job_keeps_its_time [I9 I11];
    a_running_job_blocks_its_id_and_is_not_changed [I9];
    a_failing_job_blocks_its_id_and_is_not_changed [I9];
    a_completed_job_answers_its_result [I9 I13];
    a_completed_job_answers_an_empty_result_too [I13];
    a_failed_job_blocks_its_id_unless_replaced [I9];
    replacing_makes_room_of_a_failed_record_alone [I9];
    a_cancelled_record_never_blocks [I9];
    a_deleted_record_does_not_block [I9];
    a_pruned_record_does_not_block [I9];
    a_job_that_leaves_no_record_frees_its_id [I9];
    a_record_blocks_until_the_millisecond_of_its_purge [I9 I24];
    a_failed_record_blocks_until_the_millisecond_of_its_purge [I9];
    a_record_kept_forever_blocks_forever [I9];
    the_first_enqueue_fixes_every_option [I9];
    a_redriven_job_blocks_its_id_again [I9];
    a_thousand_duplicates_in_one_call_change_nothing [I9 I20];
    an_id_said_again_with_replace_keeps_its_place_in_the_call [I9 I12];
}

/// Enqueues a different job under the id, and asserts that nothing changed.
async fn assert_blocked(bench: &Bench, text: &str, state: State) {
    let before = bench.record(text).await;
    let other = job_with(text, text_payload("another"));
    let other = other.with_priority(-9).with_delay(RETRY).with_max_attempts(Budget::from_raw(9)).awaited();
    let answer = bench.enqueue(other).await;
    assert_eq!(answer, Enqueued::Duplicate { seq: before.meta.seq, state });
    assert_eq!(bench.record(text).await, before);
}

/// Asserts that a second job begins a life of its own, later than the first.
async fn assert_free(bench: &Bench, text: &str, former: queue_core::Seq) {
    let seq = bench.put(text).await;
    assert!(seq > former, "{seq} follows {former}");
    assert_eq!(bench.state(text).await, Some(State::Queued));
}

async fn a_waiting_job_blocks_its_id_and_is_not_changed(bench: &Bench) {
    bench.put("a").await;
    assert_blocked(bench, "a", State::Queued).await;
}

/// The second enqueue moves its time in neither direction.
async fn a_scheduled_job_keeps_its_time(bench: &Bench) {
    bench.put_job(job("a").with_delay(Span::from_secs(60))).await;
    assert_blocked(bench, "a", State::Queued).await;
    bench.put_job(job("b").with_delay(Span::from_secs(60))).await;
    assert!(!bench.enqueue(job("b")).await.is_new());
    bench.assert_nothing_due().await;
}

/// The lease of its holder stands.
async fn a_running_job_blocks_its_id_and_is_not_changed(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    assert_blocked(bench, "a", State::Processing).await;
    bench.complete(&held).await;
}

/// Its failures stay charged.
async fn a_failing_job_blocks_its_id_and_is_not_changed(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.fail(&held).await;
    assert_blocked(bench, "a", State::Failing).await;
}

/// A producer that repeats its call gets the result.
async fn a_completed_job_answers_its_result(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let seq = bench.complete(&held).await.seq;
    let before = bench.record("a").await;
    let answer = bench.enqueue(job("a").with_on_failed(OnFailed::Replace)).await;
    assert_eq!(answer, Enqueued::Completed { seq, result: Some(text_payload(RESULT)) });
    assert_eq!(bench.record("a").await, before);
}

/// An empty result differs from no result.
async fn a_completed_job_answers_an_empty_result_too(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let empty = bytes_payload("");
    let seq = bench.settled(&held, complete_with(held.token, empty.clone())).await.seq;
    assert_eq!(bench.enqueue(job("a")).await, Enqueued::Completed { seq, result: Some(empty) });
}

/// A producer that wants another attempt has to ask for a replacement.
async fn a_failed_job_blocks_its_id_unless_replaced(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let failed = bench.fail_terminally(&held).await;
    assert_blocked(bench, "a", State::Failed).await;
    let seq = bench.put_job(job("a").with_on_failed(OnFailed::Replace)).await;
    assert!(seq > failed.seq, "life {seq} began after {failed:?}");
    let fresh = bench.record("a").await;
    assert_eq!((fresh.meta.failures, fresh.meta.last_error, fresh.meta.reason), (0, None, None));
}

/// The option does not replace a job that is unfinished.
async fn replacing_makes_room_of_a_failed_record_alone(bench: &Bench) {
    let replace = |text: &str| job(text).with_on_failed(OnFailed::Replace);
    bench.put_and_claim("running").await;
    let held = bench.put_and_claim("failing").await;
    bench.fail(&held).await;
    bench.put("queued").await;
    for (text, state) in
        [("queued", State::Queued), ("running", State::Processing), ("failing", State::Failing)]
    {
        let seq = bench.meta(text).await.seq;
        assert_eq!(bench.enqueue(replace(text)).await, Enqueued::Duplicate { seq, state });
    }
}

async fn a_cancelled_record_never_blocks(bench: &Bench) {
    let seq = bench.put_job(job("a").with_retention(Retention::Forever)).await;
    bench.cancel("a").await;
    assert_free(bench, "a", seq).await;
}

async fn a_deleted_record_does_not_block(bench: &Bench) {
    let seq = bench.put("a").await;
    bench.changed("a", Event::Delete).await;
    assert_free(bench, "a", seq).await;
}

async fn a_pruned_record_does_not_block(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let seq = bench.complete(&held).await.seq;
    assert_eq!(bench.prune(Prune::FinishedBefore(Span::ZERO), 10).await, 1);
    assert_free(bench, "a", seq).await;
}

/// A record with retention `Remove` keeps no id either.
async fn a_job_that_leaves_no_record_frees_its_id(bench: &Bench) {
    let seq = bench.put_job(job("a").with_retention(Retention::Remove)).await;
    let held = bench.claim_one().await;
    bench.complete(&held).await;
    assert_free(bench, "a", seq).await;
}

/// A millisecond before the purge time the enqueue is a duplicate; at that time it begins a new
/// life, whether or not the record was pruned.
async fn a_record_blocks_until_the_millisecond_of_its_purge(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let seq = bench.complete(&held).await.seq;
    bench.advance(Span::from_millis(KEPT.as_millis() - 1));
    assert!(matches!(bench.enqueue(job("a")).await, Enqueued::Completed { .. }));
    bench.advance(MILLI);
    assert_free(bench, "a", seq).await;
}

async fn a_failed_record_blocks_until_the_millisecond_of_its_purge(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let seq = bench.fail_terminally(&held).await.seq;
    bench.advance(Span::from_millis(KEPT.as_millis() - 1));
    assert_blocked(bench, "a", State::Failed).await;
    bench.advance(MILLI);
    assert_free(bench, "a", seq).await;
}

async fn a_record_kept_forever_blocks_forever(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Forever)).await;
    let held = bench.claim_one().await;
    bench.complete(&held).await;
    bench.advance(Span::MAX);
    assert_eq!(bench.prune(Prune::Expired, 10).await, 0);
    assert!(matches!(bench.enqueue(job("a")).await, Enqueued::Completed { .. }));
}

/// The worker gets the options of the first enqueue.
async fn the_first_enqueue_fixes_every_option(bench: &Bench) {
    bench.put_job(job("a").with_priority(1)).await;
    let other = job_with("a", text_payload("another")).with_priority(2);
    let again = bench.enqueue(other.with_retention(Retention::Remove)).await;
    assert!(!again.is_new(), "{again:?}");
    let held = bench.claim_one().await;
    assert_eq!(held.record.body.expect("a claim gives the body").payload, job("a").payload);
    assert_eq!(held.record.meta.priority, 1);
    assert_eq!(held.record.meta.terms.retention, job("a").terms.retention);
}

async fn a_redriven_job_blocks_its_id_again(bench: &Bench) {
    bench.put("a").await;
    bench.cancel("a").await;
    bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_blocked(bench, "a", State::Queued).await;
}

/// Repeated enqueues are the cheapest attack on a queue.
async fn a_thousand_duplicates_in_one_call_change_nothing(bench: &Bench) {
    let seq = bench.put("a").await;
    let answers = bench.enqueue_groups(vec![vec![job("a"); 500], vec![job("a"); 500]]).await;
    let expected = Enqueued::Duplicate { seq, state: State::Queued };
    assert_eq!(answers, vec![vec![expected; 500]; 2]);
    assert_eq!(bench.counts().await.total(), 1);
}

/// The first enqueue only learns that the id is taken; the second replaces the job, before the
/// enqueues behind it run.
async fn an_id_said_again_with_replace_keeps_its_place_in_the_call(bench: &Bench) {
    let held = bench.put_and_claim("failed").await;
    bench.fail_terminally(&held).await;
    let call = [job("failed"), job("failed").with_on_failed(OnFailed::Replace), job("behind")];
    let answers = bench.enqueue_groups(call.map(|job| vec![job]).into()).await.concat();
    assert_eq!(answers.iter().map(Enqueued::is_new).collect::<Vec<_>>(), [false, true, true]);
    assert!(answers[1].seq() < answers[2].seq(), "{answers:?}");
}
