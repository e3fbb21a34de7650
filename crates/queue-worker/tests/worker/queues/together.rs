//! What a worker does for all its queues at once, and what it refuses.

use super::{a, b, c, claim_elsewhere, evenly, jobs, weighted};
use crate::support::{Rig, Starts, job, millis, span};
use queue_core::{ErrorKind, Prune, PruneRequest, QueueName, Retention, State, Storage};
use queue_worker::{RateLimit, WorkQueue};
use tokio::time::sleep;

#[tokio::test(start_paused = true)]
async fn a_worker_without_a_free_slot_rescues_and_prunes_every_queue() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for queue in [a(), b()] {
        rig.enqueue_into(&queue, [job("gone", 1).with_retention(Retention::Keep(span(100)))]).await;
    }
    rig.drain(rig.worker_on(starts.router(|_| 1), evenly([a(), b()]))).await;
    for queue in [a(), b()] {
        rig.enqueue_into(&queue, [job("theirs", 1)]).await;
        claim_elsewhere(&rig, &queue, 1000).await;
    }
    rig.enqueue_into(&c(), [job("long", 1)]).await;
    let worker = rig.worker_on(starts.router(|_| 100_000), evenly([c(), a(), b()]));
    let worker = worker.concurrency(1).prefetch(0).rescue_interval(millis(2000)).prune_interval(millis(2000));
    let running = Rig::start(worker.drain_deadline(millis(0)).grace(millis(0)));
    rig.events.wait_for("started long").await;
    rig.events.wait_for_count("stalled theirs", 2).await;
    sleep(millis(3000)).await;
    for queue in [a(), b()] {
        let request = PruneRequest { queue, what: Prune::Expired, limit: 9 };
        assert_eq!(rig.store.prune(request).await.expect("prunes"), 0, "nothing is left to prune");
    }
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn heartbeats_and_settles_of_several_queues_go_in_one_call() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for queue in [a(), b(), c()] {
        rig.enqueue_into(&queue, [job("x", 1)]).await;
    }
    let report = rig.drain(rig.worker_on(starts.router(|_| 60_000), evenly([a(), b(), c()]))).await;
    let log = rig.store.log();
    let beats = log.heartbeats;
    assert!(beats.len() >= 4 && beats.iter().all(|&jobs| jobs == 3), "{beats:?}");
    assert_eq!((log.settles, report.completed, report.leases_lost), (vec![3], 3, 0));
}

#[tokio::test(start_paused = true)]
async fn jobs_of_one_id_in_several_queues_are_several_jobs_and_all_add_up() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for queue in [a(), b(), c()] {
        rig.enqueue_into(&queue, jobs(20)).await;
    }
    let queues = weighted(&[(a(), 3), (b(), 2), (c(), 1)]);
    let report = rig.drain(rig.worker_on(starts.router(|_| 5), queues)).await;
    assert_eq!((report.started, report.completed, report.leases_lost), (60, 60, 0));
    for queue in [a(), b(), c()] {
        let counts = rig.store.counts(&queue).await.expect("counts");
        assert_eq!((counts.of(State::Completed), counts.unfinished()), (20, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_shows_all_its_queues() {
    let (rig, starts) = (Rig::new(), Starts::default());
    let running = Rig::start(rig.worker_on(starts.router(|_| 1), evenly([b(), a()])));
    sleep(millis(1)).await;
    assert_eq!(rig.store.workers().await.expect("lists")[0].queues, [b(), a()]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_trace_twice_with_several_queues() {
    let trace = async || {
        let (rig, starts) = (Rig::new(), Starts::default());
        for (queue, count) in [(a(), 40), (b(), 25), (c(), 10)] {
            rig.enqueue_into(&queue, jobs(count)).await;
        }
        let limited = WorkQueue::new(c()).rate_limit(RateLimit::per_second(20));
        let queues = weighted(&[(a(), 3), (b(), 2)]).into_iter().chain([limited]);
        rig.drain(rig.worker_on(starts.router(|_| 7), queues)).await;
        (rig.events.trace(), starts.all())
    };
    assert_eq!(trace().await, trace().await);
}

#[tokio::test(start_paused = true)]
async fn senseless_queues_are_refused() {
    let rig = Rig::new();
    let build = |queues: Vec<WorkQueue>| rig.worker_on(Starts::default().router(|_| 1), queues).build();
    let named = |n: usize| WorkQueue::new(QueueName::new(format!("q{n}")).expect("a valid name"));
    let limited = |limit: RateLimit| vec![WorkQueue::new(a()).rate_limit(limit)];
    let refused = [
        ("no weight", weighted(&[(a(), 1), (b(), 0)]), "weight"),
        ("too much weight", weighted(&[(a(), 1001)]), "weight"),
        ("a queue twice", weighted(&[(a(), 1), (b(), 1), (a(), 2)]), "twice"),
        ("too many queues", (0..101).map(named).collect(), "100"),
        ("no starts", limited(RateLimit::per_second(0)), "rate limit"),
        ("no period", limited(RateLimit::new(1, millis(0))), "rate limit"),
        ("no burst", limited(RateLimit::per_second(1).burst(0)), "rate limit"),
    ];
    for (what, queues, word) in refused {
        let error = build(queues).expect_err(what);
        assert_eq!(error.kind(), ErrorKind::Invalid, "{what}");
        assert!(error.to_string().contains(word), "{what}: {error}");
    }
    build((0..100).map(named).collect()).expect("as many as may be");
    build(weighted(&[(a(), 1000), (b(), 1)])).expect("the largest weight");
}

#[tokio::test(start_paused = true)]
async fn senseless_limits_of_kinds_are_refused() {
    let rig = Rig::new();
    let builder = || rig.worker_on(Starts::default().router(|_| 1), evenly([a()]));
    let fine = RateLimit::per_second(1);
    let refused = [
        ("no kind", builder().kind_rate_limit("", fine)),
        ("no starts", builder().kind_rate_limit("work", RateLimit::per_second(0))),
        ("a kind twice", builder().kind_rate_limit("work", fine).kind_rate_limit("work", fine)),
    ];
    for (what, builder) in refused {
        assert_eq!(builder.build().expect_err(what).kind(), ErrorKind::Invalid, "{what}");
    }
}
