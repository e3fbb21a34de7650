//! One worker, several runs: restarts, and runs whose future is dropped.

use crate::support::{FOREVER, Fault, Rig, job, millis, router, spawn};
use queue_core::{State, Storage, WorkerId};
use queue_worker::{Router, Worker, WorkerReport};
use std::sync::Arc;
use tokio::{
    task::{JoinHandle, yield_now},
    time::{sleep, timeout},
};

fn sleeping(duration: u64) -> Router {
    router(move |n, _| async move {
        sleep(millis(duration)).await;
        Ok(n)
    })
}

fn stuck() -> Router {
    router(|_, _| async {
        std::future::pending::<()>().await;
        Ok(())
    })
}

async fn ended(run: JoinHandle<WorkerReport>) -> WorkerReport {
    timeout(FOREVER, run).await.expect("the run ends").expect("it does not panic")
}

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Waits until only the test's own task is left, without time passing.
async fn no_task_is_left() {
    for _ in 0..1000 {
        if tasks() == 0 {
            return;
        }
        yield_now().await;
    }
    panic!("{} tasks go on", tasks());
}

async fn shown_id(rig: &Rig) -> WorkerId {
    let shown = rig.store.workers().await.expect("lists");
    let [worker] = &shown[..] else { panic!("one worker, not {shown:?}") };
    worker.id.clone()
}

fn unnamed(rig: &Rig, router: Router) -> Worker {
    let events = rig.events.clone();
    let builder = Worker::builder(rig.store.clone(), rig.queue.clone(), router);
    builder
        .concurrency(2)
        .prefetch(2)
        .on_event(move |event| events.push(event))
        .build()
        .expect("valid settings")
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_was_stopped_runs_again_and_finishes_everything() {
    let rig = Rig::new();
    rig.enqueue((0..10).map(|n| job(&n.to_string(), n))).await;
    let worker = unnamed(&rig, sleeping(1000));
    let mut ids = Vec::new();
    let mut reports = Vec::new();
    for start in ["started 0", "started 4", "started 9"] {
        let (stop, run) = (worker.stop_token(), spawn(worker.run()));
        rig.events.wait_for(start).await;
        assert_eq!(shown_id(&rig).await, worker.id());
        ids.push(worker.id());
        stop.cancel();
        reports.push(ended(run).await);
    }
    assert_eq!(reports.iter().map(|report| report.completed).sum::<u64>(), 10, "{reports:?}");
    assert_eq!(reports[0].completed, 2, "a report is about its own run");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3, "each run has a fresh id");
    assert_eq!(rig.leased().await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_chosen_id_stays_the_same_in_every_run() {
    let rig = Rig::new();
    let worker = rig.worker(sleeping(1)).until_idle().build().expect("valid settings");
    for _ in 0..2 {
        assert_eq!(worker.id().as_str(), "tester");
        worker.run().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_ended_by_itself_runs_again() {
    let rig = Rig::new();
    let worker = rig.worker(sleeping(1)).until_idle().build().expect("valid settings");
    for n in 0..3 {
        rig.enqueue([job(&n.to_string(), n)]).await;
        assert_eq!(worker.run().await.completed, 1, "run {n}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_asked_for_meanwhile_waits_for_the_end_of_the_one_before() {
    let rig = Rig::new();
    rig.enqueue((0..8).map(|n| job(&n.to_string(), n))).await;
    let worker = rig.worker(sleeping(1000)).concurrency(1).prefetch(0).build().expect("valid settings");
    let (first_stop, first) = (worker.stop_token(), spawn(worker.run()));
    rig.events.wait_for("started 0").await;
    let second = spawn(worker.run());
    sleep(millis(1500)).await;
    assert_eq!(rig.leased().await, 1, "one run, one slot");
    first_stop.cancel();
    assert_eq!(ended(first).await.completed, 2);
    rig.events.wait_for("completed 7").await;
    worker.stop_token().cancel();
    assert_eq!(ended(second).await.completed, 6);
}

#[tokio::test(start_paused = true)]
async fn the_token_of_a_run_that_ended_stops_no_other() {
    let rig = Rig::new();
    let worker = rig.worker(sleeping(1)).until_idle().build().expect("valid settings");
    let old = worker.stop_token();
    worker.run().await;
    rig.enqueue([job("a", 1)]).await;
    old.cancel();
    assert_eq!(worker.run().await.completed, 1);
}

#[tokio::test(start_paused = true)]
async fn a_future_of_a_run_does_nothing_before_it_is_polled() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let worker = rig.worker(sleeping(1)).build().expect("valid settings");
    drop(worker.run());
    no_task_is_left().await;
    assert_eq!(rig.store.log().claims, 0);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_drops_its_handlers_and_gives_every_job_back_at_once() {
    let rig = Rig::new();
    rig.enqueue((0..6).map(|n| job(&n.to_string(), n))).await;
    let worker = rig.worker(stuck()).concurrency(2).prefetch(2).build().expect("valid settings");
    assert!(timeout(millis(1000), worker.run()).await.is_err(), "it goes on until it is dropped");
    no_task_is_left().await;
    assert_eq!((rig.leased().await, rig.events.elapsed_ms()), (0, 1000));
    for n in 0..6 {
        let meta = rig.meta(&n.to_string()).await;
        assert_eq!((meta.state, meta.failures, meta.stalls), (State::Queued, 0, 0));
    }
    assert_eq!(rig.store.workers().await.expect("lists"), [], "it has retired");
    drop(worker);
    assert_eq!(Arc::strong_count(&rig.store), 1, "nothing holds the store");
}

#[tokio::test(start_paused = true)]
async fn what_a_claim_brings_after_its_run_was_dropped_is_given_back() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_claim = Some(Box::new(|| Fault::Late(millis(2000))));
    let worker = rig.worker(sleeping(1)).build().expect("valid settings");
    assert!(timeout(millis(1000), worker.run()).await.is_err());
    assert_eq!(rig.leased().await, 1);
    rig.events.wait_for("released a").await;
    no_task_is_left().await;
    let meta = rig.meta("a").await;
    assert_eq!((meta.state, meta.stalls, rig.events.elapsed_ms()), (State::Queued, 0, 2000));
    assert_eq!(rig.events.count("started a"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_waits_five_seconds_for_a_store_that_does_not_answer() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    rig.store.script().on_settle = Some(Box::new(|_| Fault::Hang));
    let worker = rig.worker(stuck()).build().expect("valid settings");
    assert!(timeout(millis(1000), worker.run()).await.is_err());
    rig.events.wait_for("abandoned a").await;
    no_task_is_left().await;
    assert_eq!(rig.events.times_of("abandoned a"), [6000]);
    assert_eq!(rig.leased().await, 1, "it is left to lapse");
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_run_was_dropped_runs_again_after_what_is_left_of_it() {
    let rig = Rig::new();
    rig.enqueue((0..4).map(|n| job(&n.to_string(), n))).await;
    let worker = unnamed(&rig, sleeping(1000));
    assert!(timeout(millis(500), worker.run()).await.is_err());
    let (stop, run) = (worker.stop_token(), spawn(worker.run()));
    for n in 0..4 {
        rig.events.wait_for(&format!("completed {n}")).await;
    }
    stop.cancel();
    assert_eq!((ended(run).await.completed, rig.events.elapsed_ms()), (4, 2500));
    assert_eq!(rig.events.count("started 0"), 2);
}
