//! How much work a worker accepts, and what it refuses.

use crate::support::{Rig, job, millis, router};
use queue_core::{RetryPolicy, Storage};
use queue_worker::{Context, JobError, Router, WorkerBuilder};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::sleep;

fn succeeding() -> Router {
    router(|n, _| async move { Ok(n) })
}

fn jobs(count: u32) -> impl Iterator<Item = queue_core::NewJob> {
    (0..count).map(|n| job(&format!("{n:03}"), n))
}

#[tokio::test(start_paused = true)]
async fn never_more_handlers_run_at_once_than_allowed() {
    let rig = Rig::new();
    rig.enqueue(jobs(50)).await;
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (running, peak) = (now.clone(), most.clone());
    let handler = router(move |n, _| {
        let (running, peak) = (running.clone(), peak.clone());
        async move {
            peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(millis(u64::from(n % 7))).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    });
    let report = rig.drain(rig.worker(handler).concurrency(5).prefetch(20)).await;
    assert_eq!((report.completed, most.load(Ordering::SeqCst), now.load(Ordering::SeqCst)), (50, 5, 0));
}

#[tokio::test(start_paused = true)]
async fn one_handler_at_a_time_keeps_the_claim_order() {
    let rig = Rig::new();
    rig.enqueue(jobs(30).map(|job| job.with_priority(1))).await;
    rig.enqueue([job("first", 99)]).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let seen = order.clone();
    let handler = router(move |n, _| {
        let seen = seen.clone();
        async move {
            sleep(millis(u64::from(40 - n.min(30)))).await;
            seen.lock().expect("unpoisoned").push(n);
            Ok(())
        }
    });
    rig.drain(rig.worker(handler).concurrency(1).prefetch(7)).await;
    let expected: Vec<u32> = std::iter::once(99).chain(0..30).collect();
    assert_eq!(*order.lock().expect("unpoisoned"), expected);
}

#[tokio::test(start_paused = true)]
async fn never_more_jobs_are_leased_than_concurrency_and_prefetch() {
    let rig = Rig::new();
    rig.enqueue(jobs(60)).await;
    let most = Arc::new(AtomicUsize::new(0));
    let (peak, store, queue) = (most.clone(), rig.store.clone(), rig.queue.clone());
    let handler = router(move |n, _| {
        let (peak, store, queue) = (peak.clone(), store.clone(), queue.clone());
        async move {
            sleep(millis(u64::from(n % 5))).await;
            let counts = store.counts(&queue).await?;
            let leased = usize::try_from(counts.of(queue_core::State::Processing)).expect("few");
            peak.fetch_max(leased, Ordering::SeqCst);
            Ok(())
        }
    });
    let report = rig.drain(rig.worker(handler).concurrency(3).prefetch(4)).await;
    assert_eq!((report.completed, most.load(Ordering::SeqCst)), (60, 7));
    assert_eq!(rig.store.log().claim_limits.iter().max(), Some(&7));
}

#[tokio::test(start_paused = true)]
async fn a_context_that_outlives_its_handler_holds_no_slot() {
    let rig = Rig::new();
    rig.enqueue(jobs(20)).await;
    let kept: Arc<Mutex<Vec<Context>>> = Arc::default();
    let keep = kept.clone();
    let handler = router(move |_, context: Context| {
        keep.lock().expect("unpoisoned").push(context);
        async { Ok(()) }
    });
    let report = rig.drain(rig.worker(handler).concurrency(2).prefetch(2)).await;
    assert_eq!((report.completed, kept.lock().expect("unpoisoned").len()), (20, 20));
}

#[tokio::test(start_paused = true)]
async fn a_job_claimed_without_its_body_is_reported_and_takes_no_slot() {
    let rig = Rig::new();
    rig.enqueue(jobs(8)).await;
    let mut claims = 0;
    rig.store.script().edit_claimed = Some(Box::new(move |claimed| {
        claims += 1;
        if claims == 1 {
            claimed.jobs.iter_mut().for_each(|job| job.record.body = None);
        }
    }));
    let report = rig.drain(rig.worker(succeeding()).concurrency(2).prefetch(2)).await;
    assert_eq!(rig.events.count("error Internal"), 4);
    assert_eq!((report.completed, report.rescued), (8, 4));
}

#[tokio::test(start_paused = true)]
async fn jobs_that_nobody_asked_for_are_reported_and_left_to_lapse() {
    let rig = Rig::new();
    rig.enqueue(jobs(6)).await;
    let surplus = rig.claim_elsewhere(2, crate::support::span(30_000)).await.jobs;
    let mut surplus = Some(surplus);
    rig.store.script().edit_claimed =
        Some(Box::new(move |claimed| claimed.jobs.extend(surplus.take().into_iter().flatten())));
    let report = rig.drain(rig.worker(succeeding()).concurrency(2).prefetch(2)).await;
    assert_eq!(rig.events.count("error Internal"), 2);
    assert_eq!((report.completed, report.rescued), (6, 2));
}

#[tokio::test(start_paused = true)]
async fn slots_come_back_from_every_kind_of_outcome() {
    let rig = Rig::new();
    rig.enqueue(jobs(25)).await;
    let handler = router(|n, context: Context| async move {
        match (n % 5, context.meta().epoch) {
            (0, 1) => Err(JobError::snooze(millis(100))),
            (1, 1) => Err(JobError::release()),
            (2, 1) => Err(JobError::named("Test", "once")),
            (3, _) => Err(JobError::named("Test", "always").as_terminal()),
            (4, 1) => panic!("once"),
            _ => Ok(()),
        }
    });
    let worker = rig.worker(handler).concurrency(1).prefetch(0).retry(RetryPolicy::Fixed(Duration::ZERO));
    let report = rig.drain(worker).await;
    assert_eq!((report.completed, report.failed, report.released, report.failing), (20, 5, 10, 10));
}

#[tokio::test(start_paused = true)]
async fn senseless_settings_are_refused() {
    type Change = fn(WorkerBuilder) -> WorkerBuilder;
    let refused: [(&str, Change); 11] = [
        ("no handler", |it| it.concurrency(0)),
        ("too many handlers", |it| it.concurrency(100_001).prefetch(0)),
        ("too many with prefetch", |it| it.concurrency(50_001).prefetch(50_000)),
        ("more handlers than there are numbers", |it| it.concurrency(usize::MAX)),
        ("more prefetch than there are numbers", |it| it.prefetch(usize::MAX)),
        ("no lease", |it| it.lease(Duration::ZERO)),
        ("a lease too short to keep", |it| it.lease(millis(9))),
        ("a lease beyond every clock", |it| it.lease(Duration::MAX)),
        ("no settle", |it| it.settle_batch_max(0)),
        ("a spinning poll", |it| it.poll_interval(Duration::ZERO)),
        ("a spinning rescue", |it| it.rescue_interval(Duration::ZERO).prune_interval(Duration::ZERO)),
    ];
    let rig = Rig::new();
    for (what, change) in refused {
        let error = change(rig.worker(succeeding())).build().expect_err(what);
        assert_eq!(error.kind(), queue_core::ErrorKind::Invalid, "{what}");
    }
    let accepted: [(&str, Change); 5] = [
        ("one of each", |it| it.concurrency(1).prefetch(0).settle_batch_max(1)),
        ("as many as possible", |it| it.concurrency(50_000).prefetch(50_000)),
        ("the shortest lease", |it| it.lease(millis(10))),
        ("endless waits", |it| it.poll_interval(Duration::MAX).drain_deadline(Duration::MAX)),
        ("no patience", |it| it.drain_deadline(Duration::ZERO).grace(Duration::ZERO)),
    ];
    for (what, change) in accepted {
        change(rig.worker(succeeding())).build().expect(what);
    }
}

#[test]
fn a_router_without_handlers_builds_no_worker_but_one_of_operations() {
    use queue_core::QueueName;
    use queue_worker::{InvalidWorker, Worker, operations::OPERATIONS_QUEUE};
    let rig = Rig::new();
    let limited = Router::new(()).time_limit("work", millis(1)).expect("valid");
    for router in [Router::new(()), limited] {
        let error = rig.worker(router).build().expect_err("it has no handler");
        let source = std::error::Error::source(&error).and_then(|source| source.downcast_ref());
        assert_eq!(source, Some(&InvalidWorker::NoHandlers));
        assert_eq!(
            error.message(),
            "there is no handler, so every job would fail: add one by `Router::handle`, \
             `Router::handle_blocking` or `Router::fallback`"
        );
    }
    let operations = QueueName::from_static(OPERATIONS_QUEUE);
    let of_operations = || Worker::builder(rig.store.clone(), operations.clone(), Router::new(()));
    of_operations().build().expect("the library has the handler");
    of_operations().also(rig.queue.clone()).build().expect_err("the other queue has none");
    rig.worker(Router::new(()).fallback(|_: u32, _| async { Ok(()) })).build().expect("a fallback is one");
}
