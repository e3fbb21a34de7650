//! Followers of every way to end a lease: each is enqueued in the step that ends it, in every state
//! that the job gets.

use super::next;
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Budget, JobMeta, OnWaiting, Retention, Span, State,
    lifecycle::{Cause, Event},
};

cases! { "then":
    what_follows_comes_with_every_way_to_end_a_lease [I1 I23];
    a_failure_that_is_retried_is_followed_by_nothing [I9 I23];
    a_failure_that_spends_the_budget_is_followed [I1 I8];
    a_failure_under_a_policy_that_ends_it_is_followed [I1 I8];
    what_follows_comes_though_a_cancellation_was_asked_for [I1 I10];
    what_follows_comes_though_nothing_is_kept [I1];
    a_snoozed_job_keeps_its_life_and_hands_over_time_and_again [I1 I9 I11];
    what_follows_a_snooze_has_times_of_its_own [I11];
    a_job_that_waits_again_blocks_itself_as_a_follower [I9];
    a_job_that_waits_again_may_be_replaced_by_its_own_follower [I9 I20];
    a_thousand_snoozes_with_followers_in_one_batch [I1 I19];
    followers_that_are_refused_leave_the_lease_as_it_was [I17 I19];
}

/// The job itself changes as it would without followers.
async fn what_follows_comes_with_every_way_to_end_a_lease(bench: &Bench) {
    let expected = [State::Completed, State::Failed, State::Queued, State::Queued, State::Queued];
    for (n, (settle, state)) in FOLLOWED.into_iter().zip(expected).enumerate() {
        let text = nth(n).to_string();
        let follower = format!("after {n}");
        let held = bench.put_and_claim(&text).await;
        let new = job(&follower).with_priority(-1);
        let meta = bench.settled(&held, settle(held.token, vec![new.clone()])).await;
        assert_eq!((meta.state, meta.lease), (state, None), "settle {n}");
        let found = bench.meta(&follower).await;
        assert_eq!(found, JobMeta::begin(bench.queue().clone(), &new, found.seq, bench.now()), "settle {n}");
        assert_eq!(bench.claim_one().await.record.meta.id, new.id, "settle {n}");
        bench.changed(&text, Event::Delete).await;
    }
}

/// Otherwise each attempt would enqueue them.
async fn a_failure_that_is_retried_is_followed_by_nothing(bench: &Bench) {
    for cause in [Cause::Retryable, Cause::Undecodable] {
        let held = bench.put_and_claim("a").await;
        let lenient = policy().undecodable(queue_core::lifecycle::Unhandled::Retry);
        let event = fail_then(held.token, cause, vec![job("next")]);
        let sent = queue_core::lifecycle::decide(&held.record.meta, event, &lenient).expect("it is held");
        assert_done!([bench.apply(sent).await]);
        let states = (bench.state("a").await, bench.state("next").await);
        assert_eq!(states, (Some(State::Failing), None), "{cause:?}");
        bench.changed("a", Event::Delete).await;
    }
}

async fn a_failure_that_spends_the_budget_is_followed(bench: &Bench) {
    bench.put_job(job("a").with_max_attempts(Budget::from_raw(2))).await;
    for expected in [None, Some(State::Queued)] {
        let held = bench.claim_one().await;
        bench.settled(&held, fail_then(held.token, Cause::Retryable, vec![next()])).await;
        assert_eq!(bench.state("next").await, expected);
        bench.advance(RETRY);
    }
    assert_eq!(bench.state("a").await, Some(State::Failed));
}

/// The policy belongs to the sender.
async fn a_failure_under_a_policy_that_ends_it_is_followed(bench: &Bench) {
    for cause in [Cause::UnknownKind, Cause::Undecodable] {
        let held = bench.put_and_claim("a").await;
        let meta = bench.settled(&held, fail_then(held.token, cause, vec![next()])).await;
        let states = (meta.state, bench.state("next").await);
        assert_eq!(states, (State::Failed, Some(State::Queued)), "{cause:?}");
        bench.changed("a", Event::Delete).await;
        bench.changed("next", Event::Delete).await;
    }
}

/// The holder did its work.
async fn what_follows_comes_though_a_cancellation_was_asked_for(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate().skip(1) {
        let held = bench.put_and_claim("a").await;
        bench.cancel("a").await;
        let meta = bench.settled(&held, settle(held.token, vec![job("next")])).await;
        assert_eq!(meta.state, State::Cancelled, "settle {n}");
        assert_eq!(super::run_all(bench).await, ["next"], "settle {n}");
        bench.changed("next", Event::Delete).await;
    }
}

/// The job fails, completes, or is given up after a cancel.
async fn what_follows_comes_though_nothing_is_kept(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate() {
        bench.put_job(job("a").with_retention(Retention::Remove)).await;
        let held = bench.claim_one().await;
        if n > 1 {
            bench.cancel("a").await;
        }
        bench.settled(&held, settle(held.token, vec![job("next")])).await;
        let states = (bench.state("a").await, bench.state("next").await);
        assert_eq!(states, (None, Some(State::Queued)), "settle {n}");
        bench.changed("next", Event::Delete).await;
    }
}

/// A schedule is one life with a job for every tick.
async fn a_snoozed_job_keeps_its_life_and_hands_over_time_and_again(bench: &Bench) {
    let seq = bench.put_job(job("schedule").with_max_attempts(Budget::Unlimited)).await;
    for tick in 1..=20 {
        let held = bench.claim_one().await;
        assert_eq!((held.record.meta.seq, held.record.meta.epoch), (seq, tick));
        let name = format!("tick {tick}");
        bench.settled(&held, snooze_then(held.token, vec![job(&name)])).await;
        assert_eq!(super::run_all(bench).await, [name]);
        assert_eq!(bench.counts().await.unfinished(), 1);
        bench.advance(RETRY);
    }
}

/// The times count from the same moment.
async fn what_follows_a_snooze_has_times_of_its_own(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(RETRY);
    let followers = vec![job("now"), job("soon").with_delay(MILLI), job("late").with_delay(KEPT)];
    bench.settled(&held, snooze_then(held.token, followers)).await;
    let due = [("a", RETRY), ("now", Span::ZERO), ("soon", MILLI), ("late", KEPT)];
    for (text, delay) in due {
        assert_eq!(bench.meta(text).await.run_at, bench.now() + delay, "{text}");
    }
    assert_eq!(bench.claim_ids(10).await, ["now"]);
    bench.advance(RETRY);
    assert_eq!(bench.claim_ids(10).await, ["soon", "a"]);
}

/// The job still exists when its followers are enqueued.
async fn a_job_that_waits_again_blocks_itself_as_a_follower(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate().skip(2) {
        let held = bench.put_and_claim("a").await;
        let meta = bench.settled(&held, settle(held.token, vec![job_with("a", text_payload("new"))])).await;
        let found = bench.record("a").await;
        assert_eq!((&found.meta, found.meta.seq), (&meta, held.record.meta.seq), "settle {n}");
        assert_eq!(found.body.expect("asked for").payload, job("a").payload, "settle {n}");
        bench.changed("a", Event::Delete).await;
    }
}

/// The job waits by then, and the follower replaces what waits.
async fn a_job_that_waits_again_may_be_replaced_by_its_own_follower(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate().skip(2) {
        let held = bench.put_and_claim("a").await;
        bench.advance(MILLI);
        let new = job_with("a", text_payload("new")).with_on_waiting(OnWaiting::Replace { max_wait: None });
        let meta = bench.settled(&held, settle(held.token, vec![new])).await;
        assert_eq!(
            meta.seq, held.record.meta.seq,
            "settle {n}: the answer is about the job that was settled"
        );
        let found = bench.record("a").await;
        assert!(found.meta.seq > meta.seq, "settle {n}: {:?} replaces {meta:?}", found.meta);
        assert_eq!(found.meta.created_at, meta.created_at, "settle {n}");
        assert_eq!(found.body.expect("asked for").payload, text_payload("new"), "settle {n}");
        assert_eq!(bench.counts().await.total(), 1, "settle {n}");
        bench.changed("a", Event::Delete).await;
    }
}

async fn a_thousand_snoozes_with_followers_in_one_batch(bench: &Bench) {
    bench.put_many(1000).await;
    let held = bench.claim(1000).await;
    let next = |held: &queue_core::ClaimedJob| job(&format!("after-{}", held.record.meta.id));
    let batch =
        held.iter().map(|job| decided(&job.record.meta, snooze_then(job.token, vec![next(job)]))).collect();
    assert_done!(bench.apply_all(batch).await);
    let expected: Vec<_> = (0..1000).map(|n| format!("after-{}", nth(n))).collect();
    assert_eq!(bench.claim_ids(2000).await, expected);
    assert_eq!(bench.counts().await.scheduled, 1000);
}

async fn followers_that_are_refused_leave_the_lease_as_it_was(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let most = bench.store().capabilities().limits.payload_bytes_max;
    let large = job_with("large", bytes_payload(vec![7; most + 1]));
    for settle in FOLLOWED {
        let sent = decided(&held.record.meta, settle(held.token, vec![job("fits"), large.clone()]));
        assert_refused(&bench.apply_refused(vec![sent]).await);
    }
    assert_eq!((bench.record("a").await, bench.state("fits").await), (held.record, None));
}
