//! What a store keeps of expiries and time limits.

use super::{PATIENCE, assert_expired, expiring, not_allowed, too_late};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{ListQuery, Span, State, Timestamp};

cases! { "expiry":
    what_was_asked_for_is_kept_as_given [I2];
    a_claim_shows_the_expiry_and_the_time_limit [I2];
    a_job_that_could_never_run_is_refused [I17];
    expiries_and_limits_outlive_their_handle [I21] (Reopen);
}

/// Each is set alone, both are, and neither is.
async fn what_was_asked_for_is_kept_as_given(bench: &Bench) {
    let odd = Span::from_millis(1_234_567);
    let mut both = job("both").with_expires_in(Span::MAX);
    both.terms.time_limit = Some(Span::MAX);
    bench.put_job(both).await;
    bench.put_job(job("expiry").with_expires_in(odd)).await;
    bench.put_job(job("limit").with_time_limit(odd)).await;
    bench.put("plain").await;
    let begun = bench.now();
    for (text, expires_in, time_limit) in [
        ("both", Some(Span::MAX), Some(Span::MAX)),
        ("expiry", Some(odd), None),
        ("limit", None, Some(odd)),
        ("plain", None, None),
    ] {
        let meta = bench.meta(text).await;
        assert_eq!(
            (meta.expires_in, meta.terms.time_limit, meta.expiry_lifted),
            (expires_in, time_limit, false)
        );
        assert_eq!(meta.expires_at(), expires_in.map(|span| begun + span), "{text} counts from its enqueue");
    }
}

async fn a_claim_shows_the_expiry_and_the_time_limit(bench: &Bench) {
    bench.put_job(expiring("a").with_time_limit(LEASE)).await;
    let meta = bench.claim_one().await.record.meta;
    assert_eq!((meta.expires_in, meta.terms.time_limit), (Some(PATIENCE), Some(LEASE)));
    let listed = bench.list(ListQuery::all(bench.queue().clone(), 10)).await;
    assert_eq!((listed[0].expires_in, listed[0].terms.time_limit), (Some(PATIENCE), Some(LEASE)));
}

/// Nothing of the call is stored.
async fn a_job_that_could_never_run_is_refused(bench: &Bench) {
    let never = expiring("never").with_delay(PATIENCE);
    bench.enqueue_refused(vec![vec![job("a")], vec![never.clone()]]).await;
    let held = bench.put_and_claim("b").await;
    bench.apply_refused(vec![decided(&held.record.meta, complete_then(held.token, vec![never]))]).await;
    assert_eq!((bench.state("a").await, bench.state("b").await), (None, Some(State::Processing)));
}

/// Some of the jobs may expire, and some no longer may.
async fn expiries_and_limits_outlive_their_handle(bench: &Bench) {
    bench.put_job(expiring("snoozed")).await;
    let held = bench.claim_one().await;
    bench.settled(&held, snooze(held.token)).await;
    bench.put_job(expiring("expired").with_time_limit(LEASE)).await;
    let ids = ["snoozed", "expired"];
    let before = [bench.meta(ids[0]).await, bench.meta(ids[1]).await];
    bench.reopen().await;
    assert_eq!([bench.meta(ids[0]).await, bench.meta(ids[1]).await], before);
    bench.advance(PATIENCE);
    assert_expired(&bench.changed("expired", too_late(bench)).await);
    assert_eq!(bench.change("snoozed", too_late(bench)).await, not_allowed(State::Queued));
    bench.reopen().await;
    let query = ListQuery::in_states(bench.queue().clone(), vec![State::Cancelled], 10);
    let cancelled = bench.list(query).await;
    assert_expired(&cancelled[0]);
    assert!(
        cancelled[0].finished_at <= Some(bench.now())
            && cancelled[0].finished_at > Some(Timestamp::default())
    );
}
