//! How queues share the slots of a worker.

use super::{a, b, c, evenly, jobs, weighted};
use crate::support::{Fault, Rig, Starts, job, numbers, span, times_ms};
use queue_core::{ErrorKind, QueueName, Rng, SeededRng};
use queue_worker::{WorkQueue, WorkerBuilder};

#[tokio::test(start_paused = true)]
async fn while_all_queues_have_due_jobs_they_start_in_proportion_to_their_weights() {
    let by_handler_time = None;
    let settings = [
        (1, Some(0)),
        (1, Some(64)),
        (4, Some(4)),
        (64, Some(64)),
        (1, by_handler_time),
        (64, by_handler_time),
    ];
    for (concurrency, prefetch) in settings {
        let (rig, starts) = (Rig::new(), Starts::default());
        let weights = [(a(), 6), (b(), 3), (c(), 1)];
        for (queue, weight) in &weights {
            rig.enqueue_into(queue, jobs(100 * weight)).await;
        }
        let (router, queues) = (starts.router(|_| 10), weighted(&weights));
        let worker = rig.worker_on_by_handler_time(router, queues).concurrency(concurrency);
        rig.drain(prefetch.into_iter().fold(worker, WorkerBuilder::prefetch)).await;
        let order = starts.all();
        assert_eq!(order.len(), 1000);
        let mut got = [0_i64; 3];
        for (n, start) in (1_i64..).zip(&order) {
            let index = weights.iter().position(|(name, _)| *name == start.queue).expect("one of the three");
            got[index] += 1;
            for ((_, weight), got) in weights.iter().zip(got) {
                let off = got * 10 - n * i64::from(*weight);
                assert!(off.abs() <= 20, "at most two jobs off after {n} starts: {got} of weight {weight}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn within_a_queue_jobs_start_in_claim_order() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), jobs(50).map(|job| job.with_priority(5))).await;
    rig.enqueue_into(&a(), [job("urgent", 99)]).await;
    rig.enqueue_into(&b(), jobs(30)).await;
    rig.drain(rig.worker_on(starts.router(|_| 3), weighted(&[(a(), 2), (b(), 3)]))).await;
    let expected: Vec<u32> = std::iter::once(99).chain(0..50).collect();
    assert_eq!(numbers(&starts.of_queue(&a())), expected);
    assert_eq!(numbers(&starts.of_queue(&b())), (0..30).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_queue_of_the_least_weight_does_not_starve() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&a(), jobs(3000)).await;
    rig.enqueue_into(&b(), jobs(3)).await;
    rig.drain(rig.worker_on(starts.router(|_| 1), weighted(&[(a(), 1000), (b(), 1)]))).await;
    let order = starts.all();
    let places: Vec<usize> = (0..order.len()).filter(|&n| order[n].queue == b()).collect();
    assert!(places[0] <= 1001 && places[1] <= 2002 && places[2] <= 3003, "{places:?}");
}

#[tokio::test(start_paused = true)]
async fn an_empty_queue_is_not_asked_while_others_are_worked_on() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.enqueue_into(&b(), jobs(500)).await;
    rig.drain(rig.worker_on(starts.router(|_| 10), weighted(&[(a(), 100), (b(), 1)]))).await;
    let asked = rig.store.log().claimed_queues.iter().filter(|queue| **queue == a()).count();
    assert!(asked <= 3, "{asked} claims of an empty queue");
    assert_eq!(times_ms(&starts.all()).last(), Some(&1240), "four at a time, without a break");
}

#[tokio::test(start_paused = true)]
async fn one_slot_is_enough_for_many_queues() {
    let (rig, starts) = (Rig::new(), Starts::default());
    for queue in [a(), b(), c()] {
        rig.enqueue_into(&queue, jobs(5)).await;
    }
    let worker = rig.worker_on(starts.router(|_| 10), evenly([a(), b(), c()]));
    let report = rig.drain(worker.concurrency(1).prefetch(0)).await;
    assert_eq!((report.completed, rig.events.elapsed_ms()), (15, 150));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_fails_holds_up_no_other_queue() {
    let (rig, starts) = (Rig::new(), Starts::default());
    rig.store.script().on_claim_of.insert(a(), Fault::Refuse(ErrorKind::Unavailable));
    rig.enqueue_into(&a(), [job("late", 7)]).await;
    rig.enqueue_into(&b(), jobs(100)).await;
    let running = Rig::start(rig.worker_on(starts.router(|_| 10), weighted(&[(a(), 9), (b(), 1)])));
    rig.events.wait_for("completed 99").await;
    assert_eq!(times_ms(&starts.all()).last(), Some(&240), "four at a time, without a break");
    rig.store.script().on_claim_of.clear();
    rig.events.wait_for("completed late").await;
    running.stop().await;
}

/// If no slot idles, jobs of equal length start at the same times as if all were in one queue.
#[tokio::test(start_paused = true)]
async fn whatever_arrives_when_no_slot_idles_while_any_queue_has_a_due_job() {
    for seed in 0..40 {
        let rng = SeededRng::new(seed);
        let below = |most: u64| usize::try_from(rng.next_u64() % most).expect("small");
        let mut at = 0;
        let mut arrival = |_| {
            at += [0, 0, 3, 20][below(4)];
            (at, [a(), b(), c()][below(3)].clone())
        };
        let arrivals: Vec<(u64, QueueName)> = (0..60).map(&mut arrival).collect();
        let weights = [(a(), 1), (b(), 1 + u32::try_from(below(9)).expect("small")), (c(), 5)];
        let shared = starts_of(&arrivals, weighted(&weights)).await;
        let one = QueueName::from_static("one");
        let merged: Vec<_> = arrivals.iter().map(|(at, _)| (*at, one.clone())).collect();
        let alone = starts_of(&merged, vec![WorkQueue::new(one)]).await;
        let (shared_ms, alone_ms) = (times_ms(&shared.all()), times_ms(&alone.all()));
        assert_eq!(shared_ms, alone_ms, "seed {seed}: {weights:?} {arrivals:?}");
        for queue in [a(), b(), c()] {
            assert!(numbers(&shared.of_queue(&queue)).is_sorted(), "seed {seed}: the order within a queue");
        }
        assert_proportional(seed, &shared, &arrivals, &weights);
    }
}

async fn starts_of(arrivals: &[(u64, QueueName)], queues: Vec<WorkQueue>) -> Starts {
    let (rig, starts) = (Rig::new(), Starts::default());
    for (n, (at, queue)) in (0_u32..).zip(arrivals) {
        let delay = span(i64::try_from(*at).expect("small"));
        rig.enqueue_into(queue, [job(&n.to_string(), n).with_delay(delay)]).await;
    }
    rig.drain(rig.worker_on(starts.router(|_| 17), queues).concurrency(2).prefetch(0)).await;
    starts
}

/// In each period in which two queues both had a due job at every start, they got jobs in
/// proportion, with a deviation of up to two: one for the sharing itself, and one because arrivals
/// of the same moment are not ordered.
fn assert_proportional(
    seed: u64,
    starts: &Starts,
    arrivals: &[(u64, QueueName)],
    weights: &[(QueueName, u32)],
) {
    let order = starts.all();
    let waiting = |queue: &QueueName, n: usize| {
        let came = arrivals.iter().filter(|(at, name)| name == queue && *at < order[n].at_ms()).count();
        came > order[..=n].iter().filter(|start| start.queue == *queue).count()
    };
    for (one, weight) in weights {
        for (other, other_weight) in weights.iter().filter(|(other, _)| other != one) {
            let mut ahead = 0.0_f64;
            for (n, start) in order.iter().enumerate() {
                if !waiting(one, n) || !waiting(other, n) {
                    ahead = 0.0;
                } else if start.queue == *one {
                    ahead += 1.0 / f64::from(*weight);
                } else if start.queue == *other {
                    ahead -= 1.0 / f64::from(*other_weight);
                }
                let most = 2.0 / f64::from(*weight) + 2.0 / f64::from(*other_weight);
                assert!(ahead <= most + 1e-9, "seed {seed}: {one} is {ahead} ahead of {other} after {n}");
            }
        }
    }
}
