//! How a job with an expiry ends, and which jobs do not expire.

use super::{PATIENCE, assert_expired, expiring, not_allowed, put_expired, too_late};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Applied, Changed, Pause, Retention, Span, State,
    lifecycle::{Event, decide},
};

cases! { "expiry":
    a_job_expires_at_the_millisecond_and_not_before [I9];
    an_expired_job_is_handed_out_and_ended_by_its_holder [I5 I6];
    anybody_ends_an_expired_job_uncharged [I6];
    a_stale_sight_of_an_expired_job_ends_nothing [I4 I6];
    an_expired_job_is_kept_as_cancelled_ones_are [I13];
    an_awaited_one_stays_for_its_waiter [I13];
    one_that_was_given_back_expires [I5];
    one_that_has_started_does_not_expire [I1];
    a_redriven_one_does_not_expire [I1];
    an_expired_job_of_a_paused_queue_is_ended [I6] (Pause);
}

/// The time counts from the enqueue, whenever the job is due.
async fn a_job_expires_at_the_millisecond_and_not_before(bench: &Bench) {
    bench.put_job(expiring("a").with_delay(Span::from_secs(1))).await;
    bench.advance(Span::from_millis(PATIENCE.as_millis() - 1));
    assert!(!bench.meta("a").await.is_expired(bench.counts().await.now));
    assert_eq!(bench.change("a", too_late(bench)).await, not_allowed(State::Queued));
    bench.advance(MILLI);
    assert!(bench.meta("a").await.is_expired(bench.counts().await.now));
    assert_expired(&bench.changed("a", too_late(bench)).await);
}

/// The store decides nothing; a repeat of the settle is done too.
async fn an_expired_job_is_handed_out_and_ended_by_its_holder(bench: &Bench) {
    put_expired(bench, "a").await;
    let held = bench.claim_one().await;
    assert!(held.record.meta.is_too_late(bench.now()));
    let event = Event::Expire { now: bench.now(), token: Some(held.token) };
    let transition = decided(&held.record.meta, event);
    for _ in 0..2 {
        let Applied::Done(meta) = bench.apply(transition.clone()).await else { panic!("it is done") };
        assert_expired(&meta);
    }
    assert_eq!(bench.settle(&held, complete(held.token)).await, Changed::LeaseLost(bench.meta("a").await));
    bench.assert_nothing_due().await;
}

/// No worker has claimed the job, and none will.
async fn anybody_ends_an_expired_job_uncharged(bench: &Bench) {
    put_expired(bench, "a").await;
    assert_expired(&bench.changed("a", too_late(bench)).await);
    assert_expired(&bench.meta("a").await);
    bench.assert_nothing_due().await;
    assert_eq!(bench.change("a", too_late(bench)).await, not_allowed(State::Cancelled));
}

/// A worker has claimed it meanwhile, and may have started.
async fn a_stale_sight_of_an_expired_job_ends_nothing(bench: &Bench) {
    put_expired(bench, "a").await;
    let transition = decided(&bench.meta("a").await, too_late(bench));
    let held = bench.claim_one().await;
    let Applied::Stale(meta) = bench.apply(transition).await else { panic!("it has moved") };
    assert_eq!(meta, held.record.meta);
    assert!(decide(&meta, too_late(bench), &policy()).is_err(), "it is its holder's to know");
    bench.complete(&held).await;
}

async fn an_expired_job_is_kept_as_cancelled_ones_are(bench: &Bench) {
    bench.put_job(expiring("gone").with_retention(Retention::Remove)).await;
    put_expired(bench, "kept").await;
    bench.changed("gone", too_late(bench)).await;
    bench.changed("kept", too_late(bench)).await;
    assert_eq!((bench.state("gone").await, bench.state("kept").await), (None, Some(State::Cancelled)));
    bench.advance(KEPT);
    assert_eq!(bench.state("kept").await, None);
}

async fn an_awaited_one_stays_for_its_waiter(bench: &Bench) {
    bench.put_job(expiring("a").with_retention(Retention::Remove).awaited()).await;
    bench.advance(PATIENCE);
    assert_expired(&bench.changed("a", too_late(bench)).await);
    assert_expired(&bench.meta("a").await);
}

/// Time in a worker's prefetch is not a start.
async fn one_that_was_given_back_expires(bench: &Bench) {
    bench.put_job(expiring("a")).await;
    let meta = bench.release(&bench.claim_one().await).await;
    assert!(!meta.expiry_lifted);
    bench.advance(PATIENCE);
    assert!(bench.meta("a").await.is_expired(bench.now()));
    assert_expired(&bench.changed("a", too_late(bench)).await);
}

/// The job failed, stalled, was put off or stopped half-way before; its expiry passes while it
/// waits for the next attempt.
async fn one_that_has_started_does_not_expire(bench: &Bench) {
    for text in ["failed", "snoozed", "interrupted", "stalled"] {
        bench.put_job(expiring(text)).await;
        let held = bench.claim_for(MILLI).await;
        let token = held.token;
        match text {
            "failed" => drop(bench.fail(&held).await),
            "snoozed" => drop(bench.settled(&held, snooze(token)).await),
            "interrupted" => drop(bench.settled(&held, Event::interrupt(token)).await),
            _ => {
                bench.advance(MILLI);
                assert_eq!(bench.rescue().await.len(), 1);
            }
        }
        bench.advance(PATIENCE);
        let meta = bench.meta(text).await;
        assert!(meta.expiry_lifted && !meta.is_expired(bench.now()), "{text}: {meta:?}");
        assert_eq!(bench.change(text, too_late(bench)).await, not_allowed(meta.state));
        assert!(!bench.enqueue(job(text)).await.is_new(), "{text} holds its id");
        bench.complete(&bench.claim_one().await).await;
    }
}

/// The redrive shows that the job is wanted after all.
async fn a_redriven_one_does_not_expire(bench: &Bench) {
    for text in ["expired", "cancelled", "failed"] {
        bench.put_job(expiring(text)).await;
        match text {
            "expired" => {
                bench.advance(PATIENCE);
                bench.changed(text, too_late(bench)).await;
            }
            "cancelled" => drop(bench.cancel(text).await),
            _ => drop(bench.fail_terminally(&bench.claim_one().await).await),
        }
        let meta = bench.changed(text, Event::Redrive { content_type: None }).await;
        assert_eq!((meta.state, meta.reason, meta.expiry_lifted), (State::Queued, None, true), "{text}");
        bench.advance(PATIENCE);
        bench.release(&bench.claim_one().await).await;
        assert!(!bench.meta(text).await.is_expired(bench.now()), "{text}: as long as it takes");
        bench.complete(&bench.claim_one().await).await;
    }
}

/// Ending an expired job needs no claim.
async fn an_expired_job_of_a_paused_queue_is_ended(bench: &Bench) {
    bench.store().set_paused(bench.queue(), None, Pause::UntilResumed).await.expect("it pauses");
    put_expired(bench, "a").await;
    bench.assert_nothing_due().await;
    assert_expired(&bench.changed("a", too_late(bench)).await);
    put_expired(bench, "b").await;
    bench.put("b").await;
}
