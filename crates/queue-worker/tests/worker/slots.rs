//! Jobs of partitions whose leases are limited: a worker holds no slot that no handler uses.

use crate::support::{Rig, job, millis, router, span};
use queue_core::{Limit, LimitScope, NewJob, Partition, PartitionQuery, Storage, lifecycle::Event};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tokio::time::sleep;

fn of(partition: &'static str, number: u32) -> NewJob {
    job(&format!("{partition}-{number:04}"), number).with_partition(Partition::from_static(partition))
}

async fn limit(rig: &Rig, running: u32) {
    let limit = Limit { running: Some(running), ..Limit::default() };
    let each = vec![(LimitScope::EachPartition, Some(limit))];
    rig.store.set_limits(&rig.queue, each).await.expect("the probe sets limits");
}

async fn leases(rig: &Rig) -> Vec<(String, u64)> {
    let page = rig.store.partitions(PartitionQuery::all(rig.queue.clone(), 99)).await;
    let partitions = page.expect("the probe lists partitions").partitions.into_iter();
    partitions.map(|status| (status.partition.to_string(), status.leases)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_worker_holds_no_more_limited_jobs_than_it_has_handlers_for() {
    let rig = Rig::new();
    limit(&rig, 100).await;
    rig.enqueue((0..60).map(|number| of("a", number))).await;
    let handler = router(|_, _| async {
        sleep(millis(1_000)).await;
        Ok(())
    });
    let running = Rig::start(rig.worker(handler).prefetch(40).until_empty());
    sleep(millis(500)).await;
    assert_eq!(leases(&rig).await, [("a".to_owned(), 4)], "the others wait in the store");
    sleep(millis(1_000)).await;
    assert_eq!(leases(&rig).await, [("a".to_owned(), 4)]);
    let report = running.ended().await;
    assert_eq!((report.completed, report.released), (60, 0));
    assert_eq!(rig.events.elapsed_ms(), 15_000, "no handler waited for a job");
}

#[tokio::test(start_paused = true)]
async fn jobs_without_a_limit_are_held_ready_as_ever() {
    let rig = Rig::new();
    rig.enqueue((0..60).map(|number| of("a", number))).await;
    let handler = router(|_, _| async {
        sleep(millis(1_000)).await;
        Ok(())
    });
    let running = Rig::start(rig.worker(handler).prefetch(16));
    sleep(millis(500)).await;
    assert_eq!(leases(&rig).await, [("a".to_owned(), 20)]);
    running.stop().await;
}

/// Not timed by a poll: the worker sleeps until a lease of the full partition ends.
#[tokio::test(start_paused = true)]
async fn two_workers_never_run_more_of_a_partition_than_its_limit() {
    let rig = Rig::new();
    limit(&rig, 3).await;
    rig.enqueue((0..30).flat_map(|number| [of("a", number), of("b", number)])).await;
    let (running, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let handler = || {
        let counters = (running.clone(), most.clone());
        router(move |_, _| {
            let (running, most) = counters.clone();
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                sleep(millis(100)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            }
        })
    };
    let worker = |name| {
        let id = queue_core::WorkerId::from_static(name);
        rig.worker(handler()).prefetch(9).id(id).until_empty()
    };
    let (one, other) = (Rig::start(worker("one")), Rig::start(worker("other")));
    let completed = one.ended().await.completed + other.ended().await.completed;
    assert_eq!((completed, most.load(Ordering::SeqCst)), (60, 6), "three of each");
    assert_eq!(rig.events.elapsed_ms(), 1_000, "ten rounds of six");
}

/// Not by its next poll.
#[tokio::test(start_paused = true)]
async fn a_worker_that_rests_goes_on_as_another_frees_the_slot() {
    let rig = Rig::new();
    limit(&rig, 1).await;
    rig.enqueue([of("a", 0), of("a", 1)]).await;
    let held = rig.claim_elsewhere(9, span(30_000)).await.jobs.remove(0);
    let running = Rig::start(rig.worker(router(|_, _| async { Ok(()) })));
    sleep(millis(150)).await;
    assert_eq!(rig.events.times_of("started a-0001"), [0; 0]);
    rig.change("a-0000", Event::release(held.token)).await;
    rig.events.wait_for("started a-0001").await;
    assert_eq!(rig.events.elapsed_ms(), 150);
    running.stop().await;
}
