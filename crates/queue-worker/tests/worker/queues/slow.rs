//! A queue whose store is slow or does not answer delays no other queue.

use super::{a, b, c, claim_elsewhere, evenly, jobs, weighted};
use crate::support::{Fault, Hints, Rig, Starts, job, millis, numbers, times_ms};
use queue_core::{QueueName, State, Storage};
use queue_worker::WorkerReport;
use tokio::time::sleep;

/// Runs until all jobs of `a` are completed, beside a queue `b` whose claims have this fault.
async fn beside(fault: Fault, concurrency: usize) -> (Rig, Starts) {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.store.script().on_claim_of.insert(b(), fault);
    rig.enqueue_into(&a(), jobs(400)).await;
    rig.enqueue_into(&b(), [job("of b", 1000)]).await;
    let worker = rig.worker_on(starts.router(|_| 10), evenly([b(), a()]));
    let running = Rig::start(worker.concurrency(concurrency).prefetch(0));
    rig.events.wait_for("completed 399").await;
    let stopped_at = rig.events.elapsed_ms();
    // The job of `b`, and the slots that were kept for two claims of it.
    let most = u64::try_from(4000 / concurrency).expect("small") + 10 + 2 * 100;
    assert!(stopped_at <= most, "{concurrency} handlers took {stopped_at} ms");
    running.stop.cancel();
    (rig, starts)
}

#[tokio::test(start_paused = true)]
async fn a_queue_whose_claim_is_never_answered_holds_up_no_other() {
    for concurrency in [1, 2, 4, 64] {
        beside(Fault::Hang, concurrency).await;
    }
}

#[tokio::test(start_paused = true)]
async fn jobs_that_a_slow_claim_brings_start_when_they_are_there() {
    for concurrency in [1, 2, 4, 64] {
        let (_rig, starts) = beside(Fault::Late(millis(50)), concurrency).await;
        assert_eq!(times_ms(&starts.of_queue(&b())), [50], "{concurrency} handlers");
    }
}

#[tokio::test(start_paused = true)]
async fn jobs_that_come_after_their_slots_were_lent_start_behind_what_runs() {
    let (_rig, starts) = beside(Fault::Late(millis(2000)), 1).await;
    assert_eq!(times_ms(&starts.of_queue(&b())), [2000]);
}

/// There is one handler, and jobs of `a` take so long that ready jobs are given back meanwhile.
#[tokio::test(start_paused = true)]
async fn a_queue_that_is_always_slow_does_not_starve_behind_long_jobs() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.store.script().on_claim_of.insert(b(), Fault::Late(millis(2000)));
    for queue in [a(), b()] {
        rig.enqueue_into(&queue, jobs(6)).await;
    }
    let worker = rig.worker_on_by_handler_time(starts.router(|_| 10_000), evenly([a(), b()]));
    rig.drain(worker.concurrency(1)).await;
    let order: Vec<QueueName> = starts.all().into_iter().map(|start| start.queue).collect();
    let of_b = order[..6].iter().filter(|queue| **queue == b()).count();
    assert!(of_b >= 2, "{order:?}");
}

#[tokio::test(start_paused = true)]
async fn queues_whose_claims_take_their_time_share_by_weight() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for (queue, late_ms) in [(a(), 3), (b(), 4), (c(), 5)] {
        rig.store.script().on_claim_of.insert(queue.clone(), Fault::Late(millis(late_ms)));
        rig.enqueue_into(&queue, jobs(3000)).await;
    }
    let queues = weighted(&[(a(), 1), (b(), 3), (c(), 6)]);
    let running = Rig::start(rig.worker_on(starts.router(|_| 10), queues).concurrency(10).prefetch(20));
    rig.events.wait_for("completed 999").await;
    running.stop.cancel();
    let started = starts.all();
    for (queue, share) in [(a(), 100), (b(), 300), (c(), 600)] {
        let of_queue = started[..1000].iter().filter(|start| start.queue == queue).count();
        assert!(of_queue.abs_diff(share) <= 30, "{of_queue} of {queue}: no further off than there are slots");
    }
    assert_eq!(numbers(&starts.of_queue(&c()))[..600], (0..600).collect::<Vec<_>>(), "in claim order");
}

#[tokio::test(start_paused = true)]
async fn a_rescue_that_is_never_answered_holds_up_neither_other_queues_nor_later_claims() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for queue in [a(), b(), c()] {
        rig.enqueue_into(&queue, [job("theirs", 1)]).await;
        claim_elsewhere(&rig, &queue, 1000).await;
    }
    rig.store.script().hangs = Some(b());
    let worker = rig.worker_on(starts.router(|_| 1), evenly([b(), a(), c()]));
    let running = Rig::start(worker.poll_interval(millis(2000)));
    rig.events.wait_for_count("completed theirs", 2).await;
    assert_eq!(rig.events.elapsed_ms(), 1001);
    rig.enqueue_into(&b(), [job("mine", 1)]).await;
    rig.events.wait_for("completed mine").await;
    assert!(rig.events.elapsed_ms() <= 6100, "{}", rig.events.elapsed_ms());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn rescue_and_prune_at_intervals_pass_over_a_queue_that_never_answers() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.store.script().hangs = Some(b());
    rig.enqueue_into(&c(), [job("long", 1)]).await;
    let worker = rig.worker_on(starts.router(|_| 100_000), evenly([c(), b(), a()]));
    let worker = worker.concurrency(1).prefetch(0).rescue_interval(millis(2000)).prune_interval(millis(2000));
    let running = Rig::start(worker.drain_deadline(millis(0)).grace(millis(0)));
    rig.events.wait_for("started long").await;
    rig.enqueue_into(&a(), [job("theirs", 1)]).await;
    for round in 1..=2 {
        claim_elsewhere(&rig, &a(), 1000).await;
        rig.events.wait_for_count("stalled theirs", round).await;
    }
    running.stop().await;
}

async fn drained(rig: &Rig, starts: &Starts) -> WorkerReport {
    rig.drain(rig.worker_on(starts.router(|_| 10), evenly([a(), b()]))).await
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_when_empty_waits_for_the_queue_that_is_slow() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.store.script().on_claim_of.insert(b(), Fault::Late(millis(2000)));
    rig.enqueue_into(&a(), jobs(40)).await;
    rig.enqueue_into(&b(), jobs(10)).await;
    let report = drained(&rig, &starts).await;
    assert_eq!((report.completed, report.released), (50, 0));
    assert!(times_ms(&starts.of_queue(&a())).iter().all(|at| *at <= 200), "{:?}", starts.of_queue(&a()));
}

/// Whether others hold jobs of `b` cannot be learned, so it is polled like any queue.
#[tokio::test(start_paused = true)]
async fn a_run_that_ends_when_empty_goes_on_though_counts_have_no_answer() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&b(), [job("theirs", 1)]).await;
    claim_elsewhere(&rig, &b(), 3000).await;
    rig.store.script().hangs = Some(b());
    let worker = rig.worker_on(starts.router(|_| 10), evenly([b(), a()])).until_empty();
    let running = Rig::start(worker);
    sleep(millis(500)).await;
    rig.enqueue_into(&a(), [job("mine", 1)]).await;
    rig.events.wait_for("completed mine").await;
    assert_eq!(rig.events.elapsed_ms(), 510);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_slow_claim_brings_after_a_stop_is_given_back() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), jobs(2)).await;
    rig.enqueue_into(&b(), jobs(2)).await;
    rig.store.script().on_claim_of.insert(b(), Fault::Late(millis(2000)));
    let running = Rig::start(rig.worker_on(starts.router(|_| 1), evenly([a(), b()])));
    sleep(millis(1000)).await;
    let report = running.stop().await;
    assert_eq!((report.completed, report.released, report.abandoned), (2, 2, 0));
    assert_eq!(rig.store.counts(&b()).await.expect("counts").of(State::Queued), 2);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_never_answered_holds_up_nothing() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.store.script().hints = Hints::Late(crate::support::FOREVER);
    rig.enqueue_into(&a(), jobs(3)).await;
    let running =
        Rig::start(rig.worker_on(starts.router(|_| 1), evenly([a(), b()])).poll_interval(millis(2000)));
    rig.events.wait_for("completed 2").await;
    assert_eq!(rig.events.elapsed_ms(), 1);
    sleep(millis(120_000)).await;
    rig.enqueue_into(&b(), [job("polled", 1)]).await;
    rig.events.wait_for("completed polled").await;
    assert!(rig.events.elapsed_ms() <= 122_600, "{}", rig.events.elapsed_ms());
    let subscriptions = rig.store.log().subscriptions;
    assert!((4..=12).contains(&subscriptions), "one for each queue in half a minute, not {subscriptions}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_that_came_before_a_late_subscription_goes_unnoticed() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.store.script().hints = Hints::Late(millis(700));
    let running = Rig::start(rig.worker_on(starts.router(|_| 1), evenly([a(), b()])));
    sleep(millis(300)).await;
    rig.enqueue_into(&b(), [job("x", 1)]).await;
    rig.events.wait_for("completed x").await;
    assert_eq!(times_ms(&starts.all()), [700], "as soon as hints can be had");
    rig.enqueue_into(&a(), [job("y", 1)]).await;
    rig.events.wait_for("completed y").await;
    assert_eq!(times_ms(&starts.all()), [700, 701]);
    running.stop().await;
}
