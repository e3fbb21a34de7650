//! Which jobs a replacement replaces, and which not.

use super::{replace, replacing};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{Budget, Enqueued, JobMeta, OnFailed, OnWaiting, Retention, Seq, State, lifecycle::Event};

cases! { "replace":
    a_queued_job_makes_room_for_a_new_life [I2 I9];
    a_scheduled_job_makes_room_and_its_time_is_forgotten [I9 I11];
    a_failing_job_makes_room_and_its_charges_are_forgotten [I7 I9];
    a_snoozed_a_parked_and_a_redriven_job_make_room [I9];
    the_new_life_has_options_of_its_own [I2 I9];
    a_running_job_keeps_its_id_and_is_not_changed [I3 I9];
    a_completed_job_answers_its_result_as_before [I9 I13];
    a_failed_job_blocks_as_before_unless_that_is_replaced_too [I9];
    a_cancelled_a_purged_and_an_absent_record_are_no_former_life [I9];
    an_expired_job_makes_room_as_for_a_first_one [I9];
    a_job_that_says_nothing_replaces_nothing [I9];
    what_a_job_says_of_others_is_not_kept_with_it [I9];
    it_lines_up_anew [I12];
    it_takes_the_place_of_jobs_of_its_queue_alone [I9];
    one_that_may_expire_is_refused [I17 I19];
}

/// Asserts that the waiting life began with `new`, and kept the creation time of `former`.
async fn assert_begun(bench: &Bench, new: &queue_core::NewJob, seq: Seq, former: &JobMeta) {
    let begun = JobMeta::begin(bench.queue().clone(), new, seq, bench.now());
    let found = bench.record(new.id.as_str()).await;
    assert_eq!(found.meta, JobMeta { created_at: former.created_at, ..begun });
    let body = found.body.expect("asked for");
    assert_eq!((body.payload, body.result, body.error_details), (new.payload.clone(), None, None));
}

/// The worker gets the new payload.
async fn a_queued_job_makes_room_for_a_new_life(bench: &Bench) {
    let former = bench.put("a").await;
    let before = bench.meta("a").await;
    bench.advance(MILLI);
    let new = job_with("a", text_payload("new")).with_on_waiting(OnWaiting::Replace { max_wait: None });
    let seq = replace(bench, new.clone(), former).await;
    assert_begun(bench, &new, seq, &before).await;
    let held = bench.claim(10).await;
    assert_eq!(ids_of(&held), ["a"]);
    assert_eq!(held[0].record.meta.seq, seq);
    assert_eq!(held[0].record.body.clone().expect("a claim gives the body").payload, text_payload("new"));
}

/// The new time is later or sooner than before, and no index has the job twice.
async fn a_scheduled_job_makes_room_and_its_time_is_forgotten(bench: &Bench) {
    for (first, second) in [(RETRY, KEPT), (KEPT, RETRY)] {
        let former = bench.put_job(job("a").with_delay(first)).await;
        bench.advance(MILLI);
        let before = bench.meta("a").await;
        let new = replacing("a").with_delay(second);
        let seq = replace(bench, new.clone(), former).await;
        assert_begun(bench, &new, seq, &before).await;
        assert_eq!(bench.counts().await.scheduled, 1);
        bench.advance(queue_core::Span::from_millis(second.as_millis() - 1));
        bench.assert_nothing_due().await;
        bench.advance(MILLI);
        assert_eq!(bench.claim_ids(10).await, ["a"]);
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// Error, progress and stalls are forgotten too.
async fn a_failing_job_makes_room_and_its_charges_are_forgotten(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let beat = Event::Extend { token: held.token, by: LEASE, progress: Some("half".into()) };
    bench.settled(&held, beat).await;
    bench.advance(LEASE);
    bench.rescue().await;
    let failed = bench.fail(&bench.claim_one().await).await;
    let seq = replace(bench, replacing("a"), failed.seq).await;
    assert_begun(bench, &replacing("a"), seq, &failed).await;
    let held = bench.claim_one().await;
    assert_eq!((held.record.meta.epoch, held.record.meta.attempt()), (1, 1));
    assert_eq!(bench.complete(&held).await.failures, 0);
}

/// All of them wait.
async fn a_snoozed_a_parked_and_a_redriven_job_make_room(bench: &Bench) {
    let held = bench.put_and_claim("snoozed").await;
    bench.settled(&held, snooze(held.token)).await;
    bench.put("parked").await;
    bench.changed("parked", Event::Reschedule { delay: queue_core::Span::MAX }).await;
    bench.put("redriven").await;
    bench.cancel("redriven").await;
    bench.changed("redriven", Event::Redrive { content_type: None }).await;
    for text in ["snoozed", "parked", "redriven"] {
        let before = bench.meta(text).await;
        let seq = replace(bench, replacing(text), before.seq).await;
        assert_begun(bench, &replacing(text), seq, &before).await;
    }
    assert_eq!(bench.counts().await.total(), 3);
    assert_eq!(bench.claim_ids(10).await, ["snoozed", "parked", "redriven"]);
}

/// Only the creation time is inherited.
async fn the_new_life_has_options_of_its_own(bench: &Bench) {
    let first = job("a").with_priority(7).with_max_attempts(Budget::Unlimited).with_delay(KEPT).awaited();
    let former = bench.put_job(first.with_retention(Retention::Forever)).await;
    let before = bench.meta("a").await;
    let second = replacing("a").with_priority(-7).with_max_attempts(Budget::from_raw(2));
    let second = second.with_max_stalls(Budget::from_raw(9)).with_retention(Retention::Remove);
    let seq = replace(bench, second.clone(), former).await;
    assert_begun(bench, &second, seq, &before).await;
    let held = bench.claim_one().await;
    bench.complete(&held).await;
    assert_eq!(bench.state("a").await, None);
}

/// A running job's id is taken, and its holder keeps its lease.
async fn a_running_job_keeps_its_id_and_is_not_changed(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let taken = Enqueued::Duplicate { seq: held.record.meta.seq, state: State::Processing };
    assert_eq!(bench.enqueue(replacing("a")).await, taken);
    bench.advance(LEASE);
    assert_eq!(bench.enqueue(replacing("a")).await, taken, "nobody has ended its lease yet");
    assert_eq!(bench.record("a").await, held.record);
    assert_eq!(bench.complete(&held).await.state, State::Completed);
}

/// A producer that repeats its call gets the result.
async fn a_completed_job_answers_its_result_as_before(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let seq = bench.complete(&held).await.seq;
    let before = bench.record("a").await;
    let answer = bench.enqueue(replacing("a")).await;
    assert_eq!(answer, Enqueued::Completed { seq, result: Some(text_payload(RESULT)) });
    assert_eq!(bench.record("a").await, before);
}

/// The two options are independent.
async fn a_failed_job_blocks_as_before_unless_that_is_replaced_too(bench: &Bench) {
    let failed = bench.fail_terminally(&bench.put_and_claim("a").await).await;
    let before = bench.record("a").await;
    let taken = Enqueued::Duplicate { seq: failed.seq, state: State::Failed };
    assert_eq!(bench.enqueue(replacing("a")).await, taken);
    assert_eq!(bench.record("a").await, before);
    bench.advance(RETRY);
    replace(bench, replacing("a").with_on_failed(OnFailed::Replace), failed.seq).await;
    assert_eq!(bench.meta("a").await.created_at, bench.now(), "what has failed does not wait");
}

/// The new life is a first one: its creation time is now.
async fn a_cancelled_a_purged_and_an_absent_record_are_no_former_life(bench: &Bench) {
    bench.put_job(job("cancelled").with_retention(Retention::Forever)).await;
    bench.cancel("cancelled").await;
    bench.complete(&bench.put_and_claim("purged").await).await;
    bench.advance(KEPT);
    for text in ["cancelled", "purged", "absent"] {
        let new = replacing(text).with_delay(RETRY);
        let seq = bench.put_job(new.clone()).await;
        let begun = JobMeta::begin(bench.queue().clone(), &new, seq, bench.now());
        assert_eq!(bench.meta(text).await, begun, "{text}");
    }
}

async fn an_expired_job_makes_room_as_for_a_first_one(bench: &Bench) {
    let former = bench.put_job(job("a").with_expires_in(RETRY)).await;
    bench.advance(RETRY);
    let new = super::debounced("a", STALL, MILLI);
    let seq = replace(bench, new.clone(), former).await;
    let begun = JobMeta::begin(bench.queue().clone(), &new, seq, bench.now());
    assert_eq!(bench.meta("a").await, begun);
}

/// Blocking is the default.
async fn a_job_that_says_nothing_replaces_nothing(bench: &Bench) {
    let seq = bench.put_job(replacing("a").with_delay(RETRY)).await;
    let before = bench.record("a").await;
    let taken = Enqueued::Duplicate { seq, state: State::Queued };
    assert_eq!(bench.enqueue(job_with("a", text_payload("new"))).await, taken);
    assert_eq!(bench.record("a").await, before);
}

/// The option belongs to the arriving job, not to the stored one.
async fn what_a_job_says_of_others_is_not_kept_with_it(bench: &Bench) {
    let first = bench.put("a").await;
    let second = replace(bench, replacing("a"), first).await;
    let taken = Enqueued::Duplicate { seq: second, state: State::Queued };
    assert_eq!(bench.enqueue(job("a")).await, taken);
    replace(bench, replacing("a"), second).await;
}

/// The position belonged to the former life.
async fn it_lines_up_anew(bench: &Bench) {
    for text in ["a", "b", "c"] {
        bench.put(text).await;
    }
    bench.enqueue(replacing("a")).await;
    bench.enqueue(replacing("c").with_priority(-1)).await;
    assert_eq!(bench.claim_ids(10).await, ["c", "b", "a"]);
}

async fn it_takes_the_place_of_jobs_of_its_queue_alone(bench: &Bench) {
    let other = bench.on_queue("other");
    other.put("a").await;
    let before = other.record("a").await;
    bench.put_job(replacing("a")).await;
    assert_eq!(other.record("a").await, before);
}

/// Its expiry would count from a job that it never was. Nothing of the call is written.
async fn one_that_may_expire_is_refused(bench: &Bench) {
    let held = bench.put_and_claim("b").await;
    let both = replacing("a").with_expires_in(KEPT);
    assert_refused(&bench.enqueue_refused(vec![vec![job("c")], vec![both.clone()]]).await);
    let sent = decided(&held.record.meta, complete_then(held.token, vec![both]));
    assert_refused(&bench.apply_refused(vec![sent]).await);
    assert_eq!(bench.record("b").await, held.record);
    assert_eq!(bench.counts().await.total(), 1);
}
