//! Moving a waiting job to another time, sooner or later: the inverse of a promotion.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Applied, Changed, OnFailed, Retention, Span, State,
    lifecycle::{Event, Rejected},
};

cases! { "reschedule":
    a_rescheduled_job_is_due_on_its_millisecond [I11 I15];
    it_may_be_put_earlier_or_later_and_again [I11];
    a_delay_counts_from_the_change_not_from_the_time_before [I11];
    a_job_that_is_due_goes_back_to_the_schedule [I11 I20];
    a_failing_job_can_be_rescheduled_and_keeps_what_was_charged [I7 I11];
    nothing_but_the_time_changes [I2 I7];
    claims_follow_the_new_times_and_priorities_stand [I12];
    rescheduled_for_no_time_it_lines_up_behind [I12];
    the_farthest_time_parks_a_job_until_it_is_promoted [I11 I15];
    parked_jobs_hold_up_nobody [I15 I16];
    the_longest_delay_is_kept_exactly_however_often [I11];
    a_running_or_finished_job_cannot_be_rescheduled [I6];
    rescheduling_nothing_is_missing [I2];
    one_that_a_claim_overtook_is_stale [I3];
    one_that_was_decided_before_another_change_is_stale [I4];
    next_due_follows [I15];
    a_job_that_would_expire_before_then_still_does [I9];
    a_parked_job_can_be_cancelled_deleted_and_found_as_a_duplicate [I9 I20];
    it_is_as_it_was_after_a_reopen [I11 I21] (Reopen);
}

fn after(delay: Span) -> Event {
    Event::Reschedule { delay }
}

fn less_one(span: Span) -> Span {
    Span::from_millis(span.as_millis() - 1)
}

async fn a_rescheduled_job_is_due_on_its_millisecond(bench: &Bench) {
    for (text, first) in [("earlier", KEPT), ("later", MILLI), ("not at all", RETRY)] {
        bench.put_job(job(text).with_delay(first)).await;
        let meta = bench.changed(text, after(RETRY)).await;
        assert_eq!((meta.state, meta.run_at), (State::Queued, bench.now() + RETRY));
        bench.advance(less_one(RETRY));
        bench.assert_nothing_due().await;
        bench.advance(MILLI);
        assert_eq!(bench.claim_ids(10).await, [text]);
    }
}

/// The last change counts.
async fn it_may_be_put_earlier_or_later_and_again(bench: &Bench) {
    bench.put_job(job("a").with_delay(RETRY)).await;
    for delay in [KEPT, MILLI, LEASE, Span::ZERO, STALL] {
        let meta = bench.changed("a", after(delay)).await;
        assert_eq!(meta.run_at, bench.now() + delay);
        assert_eq!(bench.meta("a").await, meta);
    }
    bench.advance(less_one(STALL));
    bench.assert_nothing_due().await;
    bench.advance(MILLI);
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}

/// So two operators who both mean "in a minute" do not add up to two.
async fn a_delay_counts_from_the_change_not_from_the_time_before(bench: &Bench) {
    bench.put_job(job("a").with_delay(KEPT)).await;
    for _ in 0..3 {
        bench.advance(RETRY);
        assert_eq!(bench.changed("a", after(STALL)).await.run_at, bench.now() + STALL);
    }
}

async fn a_job_that_is_due_goes_back_to_the_schedule(bench: &Bench) {
    bench.put_many(2).await;
    bench.changed(nth(0).as_str(), after(RETRY)).await;
    assert_eq!(bench.counts().await.scheduled, 1);
    assert_eq!(bench.claim_ids(10).await, [nth(1).to_string()]);
    bench.advance(RETRY);
    assert_eq!(bench.counts().await.scheduled, 0);
    assert_eq!(bench.claim_ids(10).await, [nth(0).to_string()]);
}

/// Charges stay.
async fn a_failing_job_can_be_rescheduled_and_keeps_what_was_charged(bench: &Bench) {
    for delay in [MILLI, KEPT] {
        bench.fail(&bench.put_and_claim("a").await).await;
        let meta = bench.changed("a", after(delay)).await;
        assert_eq!((meta.state, meta.failures, meta.last_error), (State::Failing, 1, Some(failure())));
        bench.advance(less_one(delay));
        bench.assert_nothing_due().await;
        bench.advance(MILLI);
        assert_eq!(bench.claim_one().await.record.meta.attempt(), 2);
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// Every field and the body stay the same.
async fn nothing_but_the_time_changes(bench: &Bench) {
    let new = job("a").with_priority(-3).with_retention(Retention::Forever).with_delay(RETRY).awaited();
    bench.put_job(new.with_on_failed(OnFailed::Replace).with_expires_in(KEPT)).await;
    let before = bench.record("a").await;
    bench.changed("a", after(STALL)).await;
    let mut expected = before;
    expected.meta.run_at = bench.now() + STALL;
    expected.meta.revision += 1;
    assert_eq!(bench.record("a").await, expected);
}

/// The order is as if the jobs had been enqueued for those times.
async fn claims_follow_the_new_times_and_priorities_stand(bench: &Bench) {
    for (text, priority) in [("a", 0), ("b", 0), ("c", 0), ("urgent", -1)] {
        bench.put_job(job(text).with_priority(priority).with_delay(KEPT)).await;
    }
    for (text, delay) in [("urgent", RETRY), ("c", MILLI), ("a", RETRY), ("b", Span::from_millis(2))] {
        bench.changed(text, after(delay)).await;
    }
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["urgent", "c", "b", "a"]);
}

/// The job is due now, so it comes after those that were due before.
async fn rescheduled_for_no_time_it_lines_up_behind(bench: &Bench) {
    bench.put_many(2).await;
    bench.advance(MILLI);
    let meta = bench.changed(nth(0).as_str(), after(Span::ZERO)).await;
    assert_eq!(meta.run_at, bench.now());
    assert_eq!(bench.claim_ids(10).await, [1, 0].map(|n| nth(n).to_string()));
}

/// A paused schedule is such a job.
async fn the_farthest_time_parks_a_job_until_it_is_promoted(bench: &Bench) {
    bench.put("a").await;
    let meta = bench.changed("a", after(Span::MAX)).await;
    assert_eq!(meta.run_at, bench.now() + Span::MAX);
    bench.assert_nothing_due().await;
    bench.advance(Span::from_secs(50 * 365 * 86_400));
    bench.assert_nothing_due().await;
    assert_eq!(bench.meta("a").await.run_at, meta.run_at);
    assert_eq!(bench.changed("a", Event::Promote).await.run_at, bench.now());
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}

/// Parked jobs neither delay a claim nor wake a worker for nothing.
async fn parked_jobs_hold_up_nobody(bench: &Bench) {
    bench.put_many(300).await;
    for n in 0..300 {
        bench.changed(nth(n).as_str(), after(Span::MAX)).await;
    }
    let at = bench.next_due().await;
    assert!(at.is_none_or(|at| at > bench.now() + Span::from_secs(365 * 86_400)), "{at:?}");
    bench.put("a").await;
    assert_eq!(bench.claim_ids(10).await, ["a"]);
    bench.put_job(job("b").with_delay(RETRY)).await;
    let at = bench.next_due().await.expect("one is to come");
    assert!(at > bench.now() && at <= bench.now() + RETRY, "{at}");
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["b"]);
}

/// The delay counts from now, so repeats do not add up.
async fn the_longest_delay_is_kept_exactly_however_often(bench: &Bench) {
    bench.put("a").await;
    for _ in 0..3 {
        bench.advance(RETRY);
        assert_eq!(bench.changed("a", after(Span::MAX)).await.run_at, bench.now() + Span::MAX);
    }
    assert_eq!(bench.changed("a", after(Span::ZERO)).await.run_at, bench.now());
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}

async fn a_running_or_finished_job_cannot_be_rescheduled(bench: &Bench) {
    bench.put_one_of_each().await;
    let names = [
        ("processing", State::Processing),
        ("completed", State::Completed),
        ("failed", State::Failed),
        ("cancelled", State::Cancelled),
    ];
    for (text, state) in names {
        let before = bench.record(text).await;
        let refused = Changed::Rejected(Rejected::NotAllowed(state));
        assert_eq!(bench.change(text, after(RETRY)).await, refused);
        assert_eq!(bench.record(text).await, before);
    }
}

async fn rescheduling_nothing_is_missing(bench: &Bench) {
    assert_eq!(bench.change("a", after(RETRY)).await, Changed::Missing);
    assert_eq!(bench.counts().await.total(), 0);
}

/// The job runs, and its lease stands.
async fn one_that_a_claim_overtook_is_stale(bench: &Bench) {
    bench.put("a").await;
    let sent = decided(&bench.meta("a").await, after(KEPT));
    let held = bench.claim_one().await;
    assert_eq!(bench.apply(sent).await, Applied::Stale(held.record.meta.clone()));
    assert_eq!(bench.record("a").await, held.record);
    bench.complete(&held).await;
}

/// Two callers read the same record, and one has changed it.
async fn one_that_was_decided_before_another_change_is_stale(bench: &Bench) {
    bench.put("a").await;
    let [first, second] = [RETRY, KEPT].map(after);
    let seen = bench.meta("a").await;
    let answers = bench.apply_all(vec![decided(&seen, first), decided(&seen, second)]).await;
    assert_done!(answers[..1]);
    assert!(matches!(&answers[1], Applied::Stale(meta) if meta.run_at == bench.now() + RETRY), "{answers:?}");
}

/// Workers sleep until `next_due`.
async fn next_due_follows(bench: &Bench) {
    bench.put_job(job("a").with_delay(KEPT)).await;
    for delay in [STALL, RETRY, LEASE] {
        bench.changed("a", after(delay)).await;
        let at = bench.next_due().await.expect("one is to come");
        assert!(at > bench.now() && at <= bench.now() + delay, "{at} for {delay:?} from {}", bench.now());
    }
}

/// The expiry is the producer's decision, and stays.
async fn a_job_that_would_expire_before_then_still_does(bench: &Bench) {
    bench.put_job(job("a").with_expires_in(STALL)).await;
    bench.changed("a", after(KEPT)).await;
    let too_late = |bench: &Bench| Event::Expire { now: bench.now(), token: None };
    bench.advance(less_one(STALL));
    let refused = Changed::Rejected(Rejected::NotAllowed(State::Queued));
    assert_eq!(bench.change("a", too_late(bench)).await, refused);
    bench.advance(MILLI);
    assert_eq!(bench.changed("a", too_late(bench)).await.state, State::Cancelled);
}

async fn a_parked_job_can_be_cancelled_deleted_and_found_as_a_duplicate(bench: &Bench) {
    for text in ["a", "b"] {
        let seq = bench.put(text).await;
        bench.changed(text, after(Span::MAX)).await;
        let taken = queue_core::Enqueued::Duplicate { seq, state: State::Queued };
        assert_eq!(bench.enqueue(job(text)).await, taken);
    }
    bench.cancel("a").await;
    assert_eq!(bench.state("a").await, Some(State::Cancelled));
    bench.changed("b", Event::Delete).await;
    assert_eq!(bench.next_due().await, None);
    bench.put("b").await;
    assert_eq!(bench.claim_ids(10).await, ["b"]);
}

/// The jobs were parked, put off and put forward.
async fn it_is_as_it_was_after_a_reopen(bench: &Bench) {
    for (text, delay) in [("parked", Span::MAX), ("later", STALL), ("sooner", RETRY)] {
        bench.put_job(job(text).with_delay(LEASE)).await;
        bench.changed(text, after(delay)).await;
    }
    let before = super::reopen::all_records(bench).await;
    bench.reopen().await;
    assert_eq!(super::reopen::all_records(bench).await, before);
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["sooner"]);
    bench.advance(STALL);
    assert_eq!(bench.claim_ids(10).await, ["later"]);
}
