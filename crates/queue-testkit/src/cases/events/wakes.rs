//! Hints for workers that a claim may find a job.

use super::listen::{subscribe, woken};
use crate::bench::prelude::*;
use crate::cases::cases;
use futures_util::{FutureExt, StreamExt};
use queue_core::{
    EventStream, Interest, Pause, Span,
    lifecycle::{Cause, Event},
};

cases! { "events":
    an_enqueue_wakes [I15] (Hints);
    a_release_wakes [I15 I22] (Hints);
    a_failure_due_at_once_wakes [I15] (Hints);
    a_rescue_wakes [I15] (Hints);
    a_redrive_and_a_promotion_wake [I15] (Hints);
    rescheduling_wakes_who_sleeps_until_later [I15] (Hints);
    what_follows_wakes [I15] (Hints);
    what_follows_a_job_that_waits_again_wakes [I15] (Hints);
    pausing_and_resuming_wake [I15] (Hints Pause);
    every_subscriber_is_woken [I16] (Hints);
    what_others_write_wakes_nobody_who_would_find_nothing_to_claim [I16] (Hints SecondHandle);
}

/// The number of writes that do not concern the sleeper.
const WRITES: usize = 20;
/// Hints may be repeated or late, so a single one without a reason is allowed.
const STRAY_WAKES_MAX: usize = 1;

async fn an_enqueue_wakes(bench: &Bench) {
    let mut stream = subscribe(bench, Interest::Wake).await;
    for text in ["a", "b"] {
        bench.put(text).await;
        woken(&mut stream).await;
        assert_eq!(bench.claim_ids(1).await, [text]);
    }
}

/// Another worker may take the job.
async fn a_release_wakes(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let mut stream = subscribe(bench, Interest::Wake).await;
    bench.release(&held).await;
    woken(&mut stream).await;
    bench.claim_one().await;
}

/// The retry has no wait.
async fn a_failure_due_at_once_wakes(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let mut stream = subscribe(bench, Interest::Wake).await;
    let event = Event::Fail {
        token: held.token,
        failure: failure(),
        cause: Cause::Retryable,
        delay: Some(Span::ZERO),
        retention: None,
        then: Vec::new(),
    };
    bench.settled(&held, event).await;
    woken(&mut stream).await;
}

/// The first stall is due at once.
async fn a_rescue_wakes(bench: &Bench) {
    bench.put_and_claim("a").await;
    bench.advance(LEASE);
    let mut stream = subscribe(bench, Interest::Wake).await;
    bench.rescue().await;
    woken(&mut stream).await;
}

async fn a_redrive_and_a_promotion_wake(bench: &Bench) {
    bench.put("a").await;
    bench.cancel("a").await;
    bench.put_job(job("b").with_delay(KEPT)).await;
    for (text, event) in [("a", Event::Redrive { content_type: None }), ("b", Event::Promote)] {
        let mut stream = subscribe(bench, Interest::Wake).await;
        bench.changed(text, event).await;
        woken(&mut stream).await;
    }
}

/// A worker sleeps until the former time.
async fn rescheduling_wakes_who_sleeps_until_later(bench: &Bench) {
    bench.put_job(job("a").with_delay(KEPT)).await;
    for delay in [RETRY, Span::ZERO] {
        let mut stream = subscribe(bench, Interest::Wake).await;
        bench.changed("a", Event::Reschedule { delay }).await;
        woken(&mut stream).await;
        let at = bench.next_due().await.expect("it is to come");
        assert!(at <= bench.now() + delay, "{at}");
    }
}

/// The job itself is not due for a long time.
async fn what_follows_a_job_that_waits_again_wakes(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let mut stream = subscribe(bench, Interest::Wake).await;
    let then = vec![job("next")];
    let event = Event::Snooze { token: held.token, delay: Span::MAX, progress: None, then };
    bench.settled(&held, event).await;
    woken(&mut stream).await;
    assert_eq!(bench.claim_ids(1).await, ["next"]);
}

async fn what_follows_wakes(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let mut stream = subscribe(bench, Interest::Wake).await;
    bench.settled(&held, complete_then(held.token, vec![job("next")])).await;
    woken(&mut stream).await;
    assert_eq!(bench.claim_ids(1).await, ["next"]);
}

/// The backlog exists already, and a worker with prefetched jobs wants to know of a pause.
async fn pausing_and_resuming_wake(bench: &Bench) {
    bench.put("a").await;
    for pause in [Pause::UntilResumed, Pause::Off] {
        let mut stream = subscribe(bench, Interest::Wake).await;
        bench.store().set_paused(bench.queue(), None, pause).await.expect("it can pause");
        woken(&mut stream).await;
    }
}

async fn every_subscriber_is_woken(bench: &Bench) {
    let mut streams = Vec::new();
    for _ in 0..10 {
        streams.push(subscribe(bench, Interest::Wake).await);
    }
    bench.put("a").await;
    for stream in &mut streams {
        woken(stream).await;
    }
}

/// How often a sleeper was woken since the last call.
fn is_woken(sleeper: &mut EventStream) -> usize {
    usize::from(sleeper.next().now_or_never().flatten().is_some())
}

/// Idle workers sleep beside a busy queue, through enqueues to another queue and the claims and
/// settles of their own.
async fn what_others_write_wakes_nobody_who_would_find_nothing_to_claim(bench: &Bench) {
    let other = bench.second().await;
    let (elsewhere, others_elsewhere) = (bench.on_queue("elsewhere"), other.on_queue("elsewhere"));
    let mut sleeper = subscribe(bench, Interest::Wake).await;
    let mut of_jobs = subscribe(bench, Interest::All).await;
    let mut of_elsewhere = subscribe(&elsewhere, Interest::Wake).await;
    bench.put_many(WRITES).await;
    woken(&mut sleeper).await;
    let mut wakes = 0;
    for n in 0..WRITES {
        others_elsewhere.put(nth(n).as_str()).await;
        // The sleeper's own hint arrived, so a stray one would have arrived too.
        woken(&mut of_elsewhere).await;
        wakes += is_woken(&mut sleeper);
    }
    assert!(wakes <= STRAY_WAKES_MAX, "{WRITES} jobs of another queue woke a sleeper {wakes} times");
    let held = other.claim(WRITES).await;
    while of_jobs.next().now_or_never().is_some() {}
    wakes = 0;
    for held in &held {
        other.complete(held).await;
        of_jobs.next().await.expect("the store is open");
        wakes += is_woken(&mut sleeper);
    }
    assert!(wakes <= STRAY_WAKES_MAX, "{WRITES} settles of its queue woke a sleeper {wakes} times");
}
