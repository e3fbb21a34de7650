//! Followers come once for each lease that is ended: not from a repeated settle, not from a caller
//! whose lease has ended, and not from a stale decision.

use super::{fleeting, next, run_all};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{Applied, Retention, State, lifecycle::Event};

cases! { "then":
    a_settle_that_is_sent_again_enqueues_nothing_again [I5 I9];
    a_settle_that_is_sent_again_enqueues_nothing_though_its_followers_have_come_and_gone [I5 I23];
    a_settle_that_is_sent_twice_in_one_batch_is_followed_once [I5 I19];
    a_settle_that_is_sent_again_after_the_removal_enqueues_nothing [I5 I23];
    a_settle_that_is_sent_again_after_a_redrive_enqueues_nothing [I5 I23];
    a_zombie_enqueues_nothing_whatever_it_settles_with [I4];
    another_settle_of_the_same_lease_enqueues_nothing [I4 I5];
    a_settle_of_a_life_that_is_gone_enqueues_nothing [I4];
    a_stale_settle_enqueues_nothing_and_the_next_decision_once [I4 I10 I23];
    a_heartbeat_that_jobs_would_follow_is_refused [I17 I23];
}

/// Neither the record nor the follower changes.
async fn a_settle_that_is_sent_again_enqueues_nothing_again(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate() {
        let held = bench.put_and_claim("a").await;
        let sent = decided(&held.record.meta, settle(held.token, vec![next()]));
        assert_done!([bench.apply(sent.clone()).await]);
        let before = (bench.record("a").await, bench.record("next").await);
        bench.advance(MILLI);
        for _ in 0..3 {
            let again = bench.apply(sent.clone()).await;
            assert_eq!(again, Applied::Done(before.0.meta.clone()), "settle {n}");
        }
        assert_eq!((bench.record("a").await, bench.record("next").await), before, "settle {n}");
        bench.changed("a", Event::Delete).await;
        bench.changed("next", Event::Delete).await;
    }
}

/// No record of the followers is left that could make a second one a duplicate.
async fn a_settle_that_is_sent_again_enqueues_nothing_though_its_followers_have_come_and_gone(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate() {
        bench.put_job(job("a").with_priority(9)).await;
        let held = bench.claim_one().await;
        let sent = decided(&held.record.meta, settle(held.token, vec![fleeting("b"), fleeting("c")]));
        assert_done!([bench.apply(sent.clone()).await]);
        for follower in ["b", "c"] {
            let held = bench.claim_one().await;
            assert_eq!(held.record.meta.id, id(follower), "settle {n}");
            bench.complete(&held).await;
        }
        assert_done!([bench.apply(sent).await]);
        assert_eq!(bench.counts().await.total(), 1, "settle {n}");
        bench.changed("a", Event::Delete).await;
    }
}

/// The second settle finds what the first wrote.
async fn a_settle_that_is_sent_twice_in_one_batch_is_followed_once(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate() {
        let held = bench.put_and_claim("a").await;
        let sent = decided(&held.record.meta, settle(held.token, vec![next()]));
        let before = bench.meta("a").await.revision;
        assert_done!(bench.apply_all(vec![sent.clone(), sent]).await);
        assert_eq!(bench.meta("a").await.revision, before + 1, "settle {n}");
        assert_eq!(bench.counts().await.total(), 2, "settle {n}");
        bench.changed("a", Event::Delete).await;
        bench.changed("next", Event::Delete).await;
    }
}

/// The record that remembers the settle was removed, so the repeat finds no job to follow.
async fn a_settle_that_is_sent_again_after_the_removal_enqueues_nothing(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate() {
        let held = bench.put_and_claim("a").await;
        let sent = decided(&held.record.meta, settle(held.token, vec![job("next")]));
        assert_done!([bench.apply(sent.clone()).await]);
        for text in ["a", "next"] {
            bench.changed(text, Event::Delete).await;
        }
        assert_eq!(bench.apply(sent).await, Applied::Missing, "settle {n}");
        assert_eq!(bench.counts().await.total(), 0, "settle {n}");
    }
}

/// A redrive is not a claim, so the ended lease is still remembered.
async fn a_settle_that_is_sent_again_after_a_redrive_enqueues_nothing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let sent = decided(&held.record.meta, fail_for_good_then(held.token, vec![fleeting("next")]));
    assert_done!([bench.apply(sent.clone()).await]);
    run_all(bench).await;
    bench.changed("a", Event::Redrive { content_type: None }).await;
    assert_done!([bench.apply(sent).await]);
    assert_eq!(bench.claim_ids(10).await, ["a"]);
}

async fn a_zombie_enqueues_nothing_whatever_it_settles_with(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate() {
        let zombie = bench.put_and_claim("a").await;
        bench.advance(LEASE);
        bench.rescue().await;
        let late = decided(&zombie.record.meta, settle(zombie.token, vec![job("next")]));
        assert!(matches!(bench.apply(late.clone()).await, Applied::LeaseLost(_)), "settle {n}");
        let heir = bench.claim_one().await;
        assert!(matches!(bench.apply(late).await, Applied::LeaseLost(_)), "settle {n}");
        assert_eq!(bench.state("next").await, None, "settle {n}");
        bench.complete(&heir).await;
        bench.changed("a", Event::Delete).await;
    }
}

/// One lease has one outcome.
async fn another_settle_of_the_same_lease_enqueues_nothing(bench: &Bench) {
    for (n, other) in FOLLOWED.into_iter().enumerate() {
        let first = if n == 0 { release } else { complete };
        let held = bench.put_and_claim("a").await;
        bench.settled(&held, first(held.token)).await;
        let late = decided(&held.record.meta, other(held.token, vec![job("next")]));
        assert!(matches!(bench.apply(late).await, Applied::LeaseLost(_)), "settle {n}");
        assert_eq!(bench.state("next").await, None, "settle {n}");
        bench.changed("a", Event::Delete).await;
    }
}

async fn a_settle_of_a_life_that_is_gone_enqueues_nothing(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate() {
        let held = bench.put_and_claim("a").await;
        bench.prune(queue_core::Prune::Everything, 10).await;
        bench.put_job(job("a").with_retention(Retention::Remove)).await;
        let late = decided(&held.record.meta, settle(held.token, vec![job("next")]));
        assert_eq!(bench.apply(late).await, Applied::Missing, "settle {n}");
        assert_eq!(run_all(bench).await, ["a"], "settle {n}");
    }
}

/// A cancel or a waiter came in between.
async fn a_stale_settle_enqueues_nothing_and_the_next_decision_once(bench: &Bench) {
    for (n, settle) in FOLLOWED.into_iter().enumerate() {
        for event in
            [Event::Cancel { processing: queue_core::lifecycle::OnProcessing::Request }, Event::Await]
        {
            let held = bench.put_and_claim("a").await;
            let early = decided(&held.record.meta, settle(held.token, vec![next()]));
            bench.changed("a", event.clone()).await;
            for _ in 0..2 {
                let answer = bench.apply(early.clone()).await;
                assert!(matches!(answer, Applied::Stale(_)), "settle {n}, {event:?}: {answer:?}");
            }
            assert_eq!(bench.state("next").await, None, "settle {n}, {event:?}");
            bench.settled(&held, settle(held.token, vec![next()])).await;
            assert_eq!(bench.state("next").await, Some(State::Queued), "settle {n}, {event:?}");
            bench.changed("a", Event::Delete).await;
            bench.changed("next", Event::Delete).await;
        }
    }
}

/// A heartbeat may be sent twice, and no record remembers it. Nothing of the batch is written.
async fn a_heartbeat_that_jobs_would_follow_is_refused(bench: &Bench) {
    bench.put_many(2).await;
    let held = bench.claim(2).await;
    let mut beat = decided(&held[0].record.meta, extend(held[0].token, KEPT));
    beat.then = vec![job("next")];
    let done = decided(&held[1].record.meta, complete(held[1].token));
    assert_refused(&bench.apply_refused(vec![done, beat]).await);
    for job in &held {
        assert_eq!(bench.record(job.record.meta.id.as_str()).await, job.record);
    }
    assert_eq!(bench.counts().await.total(), 2);
}
