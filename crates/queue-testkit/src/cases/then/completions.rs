//! Jobs that follow a completion in the same atomic step.

use crate::{bench::prelude::*, cases::cases};
use queue_core::{Applied, OnFailed, Retention, State};

cases! { "then":
    what_follows_is_enqueued_with_the_completion [I1 I23];
    what_follows_has_options_of_its_own [I1 I11];
    several_follow_in_their_order [I12];
    what_follows_may_be_awaited_and_delayed [I11];
    a_follower_whose_id_is_taken_is_left_as_it_is [I9];
    a_follower_replaces_a_failed_record_if_it_says_so [I9];
    the_same_follower_twice_is_one_job [I9];
    a_stale_completion_enqueues_nothing [I4 I10];
    a_zombie_enqueues_nothing [I4];
    a_completion_of_a_life_that_is_gone_enqueues_nothing [I4];
    what_follows_comes_also_when_the_job_leaves_no_record [I1];
    a_job_that_leaves_no_record_may_be_its_own_follower [I9];
    a_job_that_is_kept_blocks_itself_as_a_follower [I9];
    a_chain_hands_over_from_job_to_job [I1 I23];
    a_thousand_completions_with_followers_in_one_batch [I1 I19];
    two_completions_with_one_follower_make_one_job [I9 I23];
}

/// The follower is queued, in the same queue, when the call is answered.
async fn what_follows_is_enqueued_with_the_completion(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, complete_then(held.token, vec![job("next")])).await;
    let next = bench.record("next").await;
    assert_eq!((next.meta.state, next.meta.created_at), (State::Queued, bench.now()));
    assert_eq!(next.body.expect("asked for").payload, job("next").payload);
    assert!(next.meta.seq > held.record.meta.seq, "{:?} follows {held:?}", next.meta);
    assert_eq!(bench.claim_ids(10).await, ["next"]);
}

async fn what_follows_has_options_of_its_own(bench: &Bench) {
    bench.put_job(job("a").with_priority(7).with_retention(Retention::Forever).awaited()).await;
    let held = bench.claim_one().await;
    let new = job("next").with_priority(-2);
    bench.settled(&held, complete_then(held.token, vec![new.clone()])).await;
    let meta = bench.meta("next").await;
    assert_eq!(meta, queue_core::JobMeta::begin(bench.queue().clone(), &new, meta.seq, bench.now()));
}

async fn several_follow_in_their_order(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, complete_then(held.token, vec![job("z"), job("b"), job("m")])).await;
    assert_eq!(bench.claim_ids(10).await, ["z", "b", "m"]);
}

/// The delay counts from the completion.
async fn what_follows_may_be_awaited_and_delayed(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.advance(RETRY);
    let next = job("next").with_delay(RETRY).awaited();
    bench.settled(&held, complete_then(held.token, vec![next])).await;
    let meta = bench.meta("next").await;
    assert_eq!((meta.run_at, meta.awaited), (bench.now() + RETRY, true));
    bench.assert_nothing_due().await;
}

/// The completion is stored in spite of it.
async fn a_follower_whose_id_is_taken_is_left_as_it_is(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.put("taken").await;
    let before = bench.record("taken").await;
    let then = vec![job_with("taken", text_payload("another")), job("free")];
    assert_eq!(bench.settled(&held, complete_then(held.token, then)).await.state, State::Completed);
    assert_eq!(bench.record("taken").await, before);
    assert_eq!(bench.state("free").await, Some(State::Queued));
}

/// Followers follow the rule of ids of an enqueue.
async fn a_follower_replaces_a_failed_record_if_it_says_so(bench: &Bench) {
    bench.fail_terminally(&bench.put_and_claim("next").await).await;
    let held = bench.put_and_claim("a").await;
    bench
        .settled(&held, complete_then(held.token, vec![job("next").with_on_failed(OnFailed::Replace)]))
        .await;
    assert_eq!(bench.state("next").await, Some(State::Queued));
}

async fn the_same_follower_twice_is_one_job(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let then = vec![job("next"), job_with("next", text_payload("another"))];
    bench.settled(&held, complete_then(held.token, then)).await;
    assert_eq!(bench.record("next").await.body.expect("asked for").payload, job("next").payload);
    assert_eq!(bench.claim(10).await.len(), 1);
}

async fn a_stale_completion_enqueues_nothing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let early = decided(&held.record.meta, complete_then(held.token, vec![job("next")]));
    bench.cancel("a").await;
    assert!(matches!(bench.apply(early).await, Applied::Stale(_)));
    assert_eq!(bench.state("next").await, None);
    bench.settled(&held, complete_then(held.token, vec![job("next")])).await;
    assert_eq!(bench.state("next").await, Some(State::Queued));
}

async fn a_zombie_enqueues_nothing(bench: &Bench) {
    let zombie = bench.put_and_claim("a").await;
    bench.advance(LEASE);
    bench.rescue().await;
    let late = decided(&zombie.record.meta, complete_then(zombie.token, vec![job("next")]));
    assert!(matches!(bench.apply(late).await, Applied::LeaseLost(_)));
    assert_eq!(bench.state("next").await, None);
}

async fn a_completion_of_a_life_that_is_gone_enqueues_nothing(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.prune(queue_core::Prune::Everything, 10).await;
    let late = decided(&held.record.meta, complete_then(held.token, vec![job("next")]));
    assert_eq!(bench.apply(late).await, Applied::Missing);
    assert_eq!(bench.state("next").await, None);
}

async fn what_follows_comes_also_when_the_job_leaves_no_record(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    let held = bench.claim_one().await;
    bench.settled(&held, complete_then(held.token, vec![job("next")])).await;
    assert_eq!(bench.state("a").await, None);
    assert_eq!(bench.claim_ids(10).await, ["next"]);
}

/// A periodic job under one id: its record is removed before its follower is enqueued.
async fn a_job_that_leaves_no_record_may_be_its_own_follower(bench: &Bench) {
    let mut seq = bench.put_job(job("tick").with_retention(Retention::Remove)).await;
    for _ in 0..5 {
        let held = bench.claim_one().await;
        let next = job("tick").with_retention(Retention::Remove).with_delay(RETRY);
        bench.settled(&held, complete_then(held.token, vec![next])).await;
        bench.assert_nothing_due().await;
        let meta = bench.meta("tick").await;
        assert!(meta.seq > seq && meta.epoch == 0, "a new life: {meta:?}");
        seq = meta.seq;
        bench.advance(RETRY);
    }
}

/// The id stands for its result.
async fn a_job_that_is_kept_blocks_itself_as_a_follower(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, complete_then(held.token, vec![job("a")])).await;
    assert_eq!(bench.meta("a").await.seq, held.record.meta.seq);
    assert_eq!(bench.result("a").await.as_deref(), Some(RESULT));
    bench.assert_nothing_due().await;
}

/// Exactly one job of the chain is unfinished at any time.
async fn a_chain_hands_over_from_job_to_job(bench: &Bench) {
    bench.put(nth(0).as_str()).await;
    for n in 1..=20 {
        let held = bench.claim_one().await;
        bench.settled(&held, complete_then(held.token, vec![job(nth(n).as_str())])).await;
        assert_eq!(bench.counts().await.unfinished(), 1);
    }
}

async fn a_thousand_completions_with_followers_in_one_batch(bench: &Bench) {
    bench.put_many(1000).await;
    let held = bench.claim(1000).await;
    let next = |held: &queue_core::ClaimedJob| job(&format!("after-{}", held.record.meta.id));
    let batch =
        held.iter().map(|job| decided(&job.record.meta, complete_then(job.token, vec![next(job)]))).collect();
    assert_done!(bench.apply_all(batch).await);
    let expected: Vec<_> = (0..1000).map(|n| format!("after-{}", nth(n))).collect();
    assert_eq!(bench.claim_ids(1000).await, expected);
}

/// Two halves of a whole may both name the job that comes after.
async fn two_completions_with_one_follower_make_one_job(bench: &Bench) {
    bench.put_many(2).await;
    let held = bench.claim(2).await;
    let batch = held
        .iter()
        .map(|job_| decided(&job_.record.meta, complete_then(job_.token, vec![job("joined")])))
        .collect();
    assert_done!(bench.apply_all(batch).await);
    assert_eq!(bench.claim_ids(10).await, ["joined"]);
}
