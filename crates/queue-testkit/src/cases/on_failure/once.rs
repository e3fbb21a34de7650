//! A follow-up comes once for each time that the job fails for good.

use super::{asking, assert_none, assert_tells, follow_up, follow_ups};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Applied, Budget, Prune, State, StorageExt,
    lifecycle::{Cause, Event},
};

cases! { "on_failure":
    a_failure_that_is_sent_again_is_followed_once [I5 I9];
    a_failure_that_is_sent_again_after_its_follower_has_gone_is_followed_once [I5 I23];
    a_zombie_s_failure_is_followed_by_nothing [I4];
    a_stale_failure_is_followed_by_nothing_and_decided_again_once [I4 I10];
    a_lapse_that_two_see_is_followed_once [I7 I9];
    a_completion_that_overtook_the_lapse_is_followed_by_nothing [I4 I5];
    each_job_has_one_of_its_own [I1 I9];
    each_life_has_one_of_its_own [I1 I9];
    a_rescue_of_many_stays_within_a_batch_and_goes_on [I1 I8 I15 I17];
    a_follow_up_outlives_a_reopen_with_the_memory_of_its_failure [I5 I21] (Reopen);
}

/// The record does not change.
async fn a_failure_that_is_sent_again_is_followed_once(bench: &Bench) {
    for cause in [Cause::Terminal, Cause::Retryable] {
        bench.put_job(asking("a").with_max_attempts(Budget::from_raw(1))).await;
        let held = bench.claim_one().await;
        let sent = decided(&held.record.meta, fail_because(held.token, cause));
        assert_done!(bench.apply_all(vec![sent.clone(), sent.clone()]).await);
        let before = follow_up(bench).await;
        assert_done!([bench.apply(sent).await]);
        assert_eq!(follow_up(bench).await, before);
        bench.prune(Prune::Everything, 10).await;
    }
}

/// The id of the follow-up is free again, so it cannot prevent a second one.
async fn a_failure_that_is_sent_again_after_its_follower_has_gone_is_followed_once(bench: &Bench) {
    bench.put_job(asking("a")).await;
    let held = bench.claim_one().await;
    let sent = decided(&held.record.meta, fail_because(held.token, Cause::Terminal));
    assert_done!([bench.apply(sent.clone()).await]);
    let follow_up = follow_up(bench).await.meta.id;
    bench.complete(&bench.claim_one().await).await;
    bench.changed(follow_up.as_str(), Event::Delete).await;
    assert_done!([bench.apply(sent).await]);
    assert_none(bench).await;
}

/// The lease has ended, and the job has not.
async fn a_zombie_s_failure_is_followed_by_nothing(bench: &Bench) {
    bench.put_job(asking("a")).await;
    let zombie = bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    let late = decided(&zombie.record.meta, fail_because(zombie.token, Cause::Terminal));
    assert!(matches!(bench.apply(late).await, Applied::LeaseLost(_)));
    assert_none(bench).await;
    bench.complete(&bench.claim_one().await).await;
    assert_none(bench).await;
}

/// A caller has begun to wait, or has cancelled the job.
async fn a_stale_failure_is_followed_by_nothing_and_decided_again_once(bench: &Bench) {
    bench.put_job(asking("a")).await;
    let held = bench.claim_one().await;
    let early = decided(&held.record.meta, fail_because(held.token, Cause::Terminal));
    bench.changed("a", Event::Await).await;
    assert!(matches!(bench.apply(early).await, Applied::Stale(_)));
    assert_none(bench).await;
    let failed = bench.fail_terminally(&held).await;
    assert_tells(&follow_up(bench).await, &failed);
    bench.prune(Prune::Everything, 10).await;
    bench.put_job(asking("a")).await;
    let held = bench.claim_one().await;
    let early = decided(&held.record.meta, fail_because(held.token, Cause::Terminal));
    bench.cancel("a").await;
    assert!(matches!(bench.apply(early).await, Applied::Stale(_)));
    assert_eq!(bench.fail_terminally(&held).await.state, State::Cancelled);
    assert_none(bench).await;
}

async fn a_lapse_that_two_see_is_followed_once(bench: &Bench) {
    bench.put_job(asking("a").with_max_stalls(Budget::from_raw(1))).await;
    let held = bench.claim_one().await;
    bench.advance(LEASE);
    let lapse = decided(&held.record.meta, Event::Lapse);
    let answers = bench.apply_all(vec![lapse.clone(), lapse]).await;
    assert_done!(answers[..1]);
    assert!(matches!(answers[1], Applied::Stale(_)), "{answers:?}");
    assert_eq!(bench.rescue().await.len(), 0);
    assert_tells(&follow_up(bench).await, &bench.meta("a").await);
}

async fn a_completion_that_overtook_the_lapse_is_followed_by_nothing(bench: &Bench) {
    bench.put_job(asking("a").with_max_stalls(Budget::from_raw(1))).await;
    let held = bench.claim_one().await;
    bench.advance(LEASE);
    let lapse = decided(&held.record.meta, Event::Lapse);
    bench.complete(&held).await;
    assert!(matches!(bench.apply(lapse).await, Applied::Stale(_)));
    assert_none(bench).await;
}

/// The failures are in one batch.
async fn each_job_has_one_of_its_own(bench: &Bench) {
    let group = (0..100).map(|n| asking(nth(n).as_str())).collect();
    bench.enqueue_groups(vec![group]).await;
    let held = bench.claim(100).await;
    let fail =
        |job: &queue_core::ClaimedJob| decided(&job.record.meta, fail_because(job.token, Cause::Terminal));
    assert_done!(bench.apply_all(held.iter().map(fail).collect()).await);
    let found = follow_ups(bench).await;
    assert_eq!(found.len(), 100);
    for (n, meta) in found.iter().enumerate() {
        assert_tells(&bench.record(meta.id.as_str()).await, &bench.meta(nth(n).as_str()).await);
    }
}

/// Each life counts its claims from one, so only its number distinguishes the follow-ups.
async fn each_life_has_one_of_its_own(bench: &Bench) {
    for n in 1..=3 {
        bench.put_job(asking("a").with_priority(-1)).await;
        let failed = bench.fail_terminally(&bench.claim_one().await).await;
        assert_eq!((failed.epoch, follow_ups(bench).await.len()), (1, n));
        bench.changed("a", Event::Delete).await;
    }
}

/// Many workers have died, and each of their jobs counts twice in a batch.
async fn a_rescue_of_many_stays_within_a_batch_and_goes_on(bench: &Bench) {
    let most = bench.store().capabilities().limits.batch_max;
    let once = Budget::from_raw(1);
    let group = (0..most).map(|n| asking(nth(n).as_str()).with_max_stalls(once)).collect();
    bench.enqueue_groups(vec![group]).await;
    assert_eq!(bench.claim(most).await.len(), most);
    bench.advance(LEASE);
    let mut rescued = 0;
    while rescued < most {
        // A store may list fewer jobs than a call may settle.
        let some = bench.store().rescue(bench.queue(), most, &policy()).await.expect("rescue answers").len();
        assert!(some > 0 && 2 * some <= most, "{some} behind {rescued} of {most}");
        rescued += some;
    }
    let rest = bench.store().rescue(bench.queue(), most, &policy()).await.expect("rescue answers");
    assert_eq!((rescued, rest.len()), (most, 0));
    let counts = bench.counts().await;
    assert_eq!((counts.of(State::Failed), counts.of(State::Queued)), (most as u64, most as u64));
}

/// The answer was lost with the process.
async fn a_follow_up_outlives_a_reopen_with_the_memory_of_its_failure(bench: &Bench) {
    bench.put_job(asking("a")).await;
    let held = bench.claim_one().await;
    let sent = decided(&held.record.meta, fail_because(held.token, Cause::Terminal));
    assert_done!([bench.apply(sent.clone()).await]);
    let before = follow_up(bench).await;
    bench.reopen().await;
    assert_eq!(follow_up(bench).await, before);
    bench.changed(before.meta.id.as_str(), Event::Delete).await;
    assert_done!([bench.apply(sent).await]);
    assert_none(bench).await;
}
