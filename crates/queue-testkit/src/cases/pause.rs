//! Pausing the claims of a queue for all workers.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Pause, Span, State, StorageExt, Timestamp};

cases! { "pause":
    a_paused_queue_gives_nothing_and_says_so [I1] (Pause);
    a_resumed_queue_goes_on_in_order [I12 I15] (Pause);
    a_paused_queue_takes_jobs [I1] (Pause);
    a_paused_queue_settles_what_runs [I5] (Pause);
    what_a_full_worker_gives_back_in_a_pause_waits_uncharged [I1 I7 I12] (Pause);
    a_paused_queue_keeps_leases_and_rescues [I15] (Pause);
    a_paused_queue_says_when_a_lease_lapses [I15] (Pause);
    a_paused_queue_says_what_is_due_as_if_it_were_not_paused [I15] (Pause);
    pausing_twice_and_resuming_twice_are_fine [I5] (Pause);
    pausing_is_about_one_queue [I16] (Pause);
    a_queue_can_be_paused_before_its_first_job [I1] (Pause);
    a_pause_holds_for_every_handle [I1] (Pause SecondHandle);
    a_pause_with_an_end_is_over_on_its_millisecond [I1 I15] (Pause);
    a_pause_with_an_end_says_when_it_is_over [I15] (Pause);
    the_last_of_several_pauses_counts [I1 I15] (Pause);
    a_pause_whose_end_is_past_stops_nothing [I15] (Pause);
    a_pause_that_is_over_is_not_listed [I20] (Pause);
    a_pause_with_an_end_is_kept_across_a_reopen [I15 I21] (Pause Reopen);
}

async fn set(bench: &Bench, paused: bool) {
    let pause = if paused { Pause::UntilResumed } else { Pause::Off };
    bench.store().set_paused(bench.queue(), None, pause).await.expect("it can pause");
}

/// A worker can tell a paused queue from an empty one.
async fn a_paused_queue_gives_nothing_and_says_so(bench: &Bench) {
    bench.put("a").await;
    set(bench, true).await;
    for limit in [0, 10] {
        let claimed = bench.send(bench.request(limit)).await;
        assert!(claimed.pause.is_on() && claimed.jobs.is_empty(), "{claimed:?}");
    }
    assert_eq!(bench.state("a").await, Some(State::Queued));
}

async fn a_resumed_queue_goes_on_in_order(bench: &Bench) {
    bench.put_many(3).await;
    set(bench, true).await;
    bench.put("last").await;
    set(bench, false).await;
    let claimed = bench.send(bench.request(10)).await;
    assert!(!claimed.pause.is_on(), "{claimed:?}");
    assert_eq!(ids_of(&claimed.jobs).last().map(String::as_str), Some("last"));
    assert_eq!(claimed.jobs.len(), 4);
}

/// So a worker that rescues sleeps until then.
async fn a_paused_queue_says_when_a_lease_lapses(bench: &Bench) {
    bench.put_and_claim("a").await;
    set(bench, true).await;
    let at = bench.next_due().await.expect("a lease lapses, paused or not");
    assert!(at <= bench.now() + LEASE, "who sleeps until {at} rescues late");
}

/// A worker that runs until the queue is empty has to wait for a resume, and one that finds nothing
/// due must know that nothing waits.
async fn a_paused_queue_says_what_is_due_as_if_it_were_not_paused(bench: &Bench) {
    set(bench, true).await;
    assert_eq!(bench.next_due().await, None, "nothing waits, and nothing is held");
    bench.put_job(job("later").with_delay(KEPT)).await;
    for paused in [true, false] {
        set(bench, paused).await;
        let at = bench.next_due().await.expect("a job waits for its time");
        assert!(at > bench.now() && at <= bench.now() + KEPT, "paused {paused}: {at}");
    }
    bench.put("now").await;
    for paused in [true, false] {
        set(bench, paused).await;
        let at = bench.next_due().await.expect("a job is due");
        assert!(at <= bench.now(), "paused {paused}: {at}");
    }
}

async fn a_paused_queue_takes_jobs(bench: &Bench) {
    set(bench, true).await;
    bench.put("a").await;
    assert!(!bench.enqueue(job("a")).await.is_new());
    assert_eq!(bench.counts().await.of(State::Queued), 1);
}

/// Running jobs are settled as usual.
async fn a_paused_queue_settles_what_runs(bench: &Bench) {
    bench.put_many(4).await;
    let held = bench.claim(4).await;
    set(bench, true).await;
    for (claimed, settle) in held.iter().zip(SETTLES) {
        bench.settled(claimed, extend(claimed.token, LEASE)).await;
        bench.settled(claimed, settle(claimed.token)).await;
    }
    assert_eq!(bench.counts().await.of(State::Processing), 0);
}

/// A worker without room asks for no jobs with its heartbeats, learns of the pause, and gives back
/// what it has not started.
async fn what_a_full_worker_gives_back_in_a_pause_waits_uncharged(bench: &Bench) {
    bench.put_many(3).await;
    let [runs, held @ ..] = <[_; 3]>::try_from(bench.claim(3).await).expect("all of them");
    set(bench, true).await;
    bench.settled(&runs, extend(runs.token, LEASE)).await;
    let told = bench.send(bench.request(0)).await;
    assert!(told.pause.is_on() && told.jobs.is_empty(), "{told:?}");
    for waits in &held {
        let meta = bench.release(waits).await;
        assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0));
    }
    assert_eq!(bench.claim(9).await.len(), 0, "what came back is paused like all others");
    bench.complete(&runs).await;
    set(bench, false).await;
    assert!(!bench.send(bench.request(0)).await.pause.is_on(), "a full worker learns of the resume too");
    assert_eq!(bench.claim_ids(9).await, ids_of(&held), "in their places");
}

/// Leases lapse during a pause.
async fn a_paused_queue_keeps_leases_and_rescues(bench: &Bench) {
    bench.put_and_claim("a").await;
    set(bench, true).await;
    bench.advance(LEASE);
    assert_eq!(bench.rescue().await.len(), 1);
    assert_eq!(bench.claim(1).await.len(), 0);
    set(bench, false).await;
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

/// A pause is a state, not a count.
async fn pausing_twice_and_resuming_twice_are_fine(bench: &Bench) {
    bench.put("a").await;
    for paused in [true, true, false, false] {
        set(bench, paused).await;
    }
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}

async fn pausing_is_about_one_queue(bench: &Bench) {
    let other = bench.on_queue("other");
    bench.put("a").await;
    other.put("a").await;
    set(bench, true).await;
    assert_eq!(other.claim_ids(1).await, ["a"]);
    assert_eq!(bench.claim(1).await.len(), 0);
}

/// An operator deploys first and resumes later.
async fn a_queue_can_be_paused_before_its_first_job(bench: &Bench) {
    let fresh = bench.on_queue("fresh");
    set(&fresh, true).await;
    fresh.put("a").await;
    let claimed = fresh.send(fresh.request(1)).await;
    assert!(claimed.pause.is_on(), "{claimed:?}");
    set(&fresh, false).await;
    assert_eq!(fresh.claim_ids(1).await, ["a"]);
}

/// The pause takes effect with the next claim.
async fn a_pause_holds_for_every_handle(bench: &Bench) {
    let other = bench.second().await;
    bench.put("a").await;
    set(&other, true).await;
    let claimed = bench.send(bench.request(1)).await;
    assert!(claimed.pause.is_on(), "{claimed:?}");
    set(bench, false).await;
    assert_eq!(other.claim_ids(1).await, ["a"]);
}

/// Makes time go on from a known millisecond, and answers the time so long after it.
async fn in_millis(bench: &Bench, millis: i64) -> Timestamp {
    let now = bench.counts().await.now;
    Timestamp::from_millis(now.as_millis() + millis)
}

async fn pause_until(bench: &Bench, until: Timestamp) {
    bench.store().set_paused(bench.queue(), None, Pause::Until(until)).await.expect("it can pause");
}

/// A pause with an end needs no resume.
async fn a_pause_with_an_end_is_over_on_its_millisecond(bench: &Bench) {
    bench.put("a").await;
    let end = in_millis(bench, 1_000).await;
    pause_until(bench, end).await;
    assert_eq!(bench.claim(1).await.len(), 0);
    bench.advance(Span::from_millis(999));
    assert_eq!(bench.claim(1).await.len(), 0, "a millisecond before the end");
    bench.advance(MILLI);
    let claimed = bench.send(bench.request(1)).await;
    assert_eq!((claimed.pause, claimed.jobs.len()), (Pause::Off, 1));
}

/// So a worker sleeps until exactly then.
async fn a_pause_with_an_end_says_when_it_is_over(bench: &Bench) {
    bench.put("a").await;
    let end = in_millis(bench, 1_000).await;
    pause_until(bench, end).await;
    for limit in [0, 1] {
        let claimed = bench.send(bench.request(limit)).await;
        assert_eq!((claimed.pause, claimed.free_at()), (Pause::Until(end), Some(end)));
    }
    bench.put_job(job("later").with_priority(-1).with_delay(KEPT)).await;
    assert_eq!(bench.send(bench.request(1)).await.free_at(), Some(end));
}

async fn the_last_of_several_pauses_counts(bench: &Bench) {
    bench.put("a").await;
    let (sooner, later) = (in_millis(bench, 1_000).await, in_millis(bench, 2_000).await);
    for end in [sooner, later, sooner, later] {
        pause_until(bench, end).await;
        assert_eq!(bench.send(bench.request(1)).await.pause, Pause::Until(end));
    }
    set(bench, true).await;
    bench.advance(KEPT);
    assert_eq!(bench.send(bench.request(1)).await.pause, Pause::UntilResumed, "without an end again");
    pause_until(bench, in_millis(bench, 1_000).await).await;
    set(bench, false).await;
    assert_eq!(bench.claim_ids(1).await, ["a"], "a resume ends a pause before its end");
}

/// The caller took an hour for another, or the call took long.
async fn a_pause_whose_end_is_past_stops_nothing(bench: &Bench) {
    bench.put("a").await;
    set(bench, true).await;
    pause_until(bench, bench.now()).await;
    let claimed = bench.send(bench.request(1)).await;
    assert_eq!((claimed.pause, claimed.jobs.len()), (Pause::Off, 1));
}

async fn a_pause_that_is_over_is_not_listed(bench: &Bench) {
    let listed = async || {
        let status = bench.store().status_of(bench.queue()).await.expect("it lists queues");
        status.expect("it was paused once").pause
    };
    let end = in_millis(bench, 1_000).await;
    pause_until(bench, end).await;
    assert_eq!(listed().await, Pause::Until(end));
    bench.advance(Span::from_secs(1));
    assert_eq!(listed().await, Pause::Off);
}

async fn a_pause_with_an_end_is_kept_across_a_reopen(bench: &Bench) {
    bench.put("a").await;
    let end = in_millis(bench, 1_000).await;
    pause_until(bench, end).await;
    bench.reopen().await;
    assert_eq!(bench.send(bench.request(1)).await.pause, Pause::Until(end));
    bench.advance(Span::from_secs(1));
    assert_eq!(bench.claim_ids(1).await, ["a"]);
}
