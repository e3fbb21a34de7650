//! What a worker announces of itself, and that it ends when it is asked to drain.

use crate::support::{Rig, job, millis, router};
use queue_core::{Duty, State, Storage, Timestamp, WorkerId, WorkerInfo};
use queue_view::AboutWorker;
use queue_worker::Router;
use tokio::time::sleep;

fn sleeping(duration: u64) -> Router {
    router(move |n, _| async move {
        sleep(millis(duration)).await;
        Ok(n)
    })
}

async fn shown(rig: &Rig) -> WorkerInfo {
    rig.store.workers().await.expect("lists").pop().expect("the worker is there")
}

async fn ask(rig: &Rig, duty: Duty) {
    let then = rig.store.set_duty(&WorkerId::from_static("tester"), duty).await;
    assert_eq!(then.expect("the probe asks"), Some(duty), "it is there");
}

async fn drain(rig: &Rig) {
    ask(rig, Duty::Drain).await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_asked_to_drain_finishes_what_it_runs_and_ends() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1), job("b", 2)]).await;
    let running = Rig::start(rig.worker(sleeping(20_000)).concurrency(1).prefetch(0));
    rig.events.wait_for("started a").await;
    drain(&rig).await;
    assert_eq!(shown(&rig).await.duty, Duty::Drain, "everybody sees it before the worker does");
    let report = running.ended().await;
    assert_eq!((report.completed, report.released), (1, 0));
    assert_eq!(rig.meta("b").await.state, State::Queued, "nothing more is claimed");
    assert_eq!(rig.events.times_of("Draining").len(), 1);
    assert_eq!(rig.store.workers().await.expect("lists"), [], "it retires");
}

#[tokio::test(start_paused = true)]
async fn the_next_run_of_a_drained_worker_works() {
    let rig = Rig::new();
    let worker = rig.worker(sleeping(1)).build().expect("valid settings");
    let stop = worker.stop_token();
    let running = crate::support::spawn(worker.run());
    sleep(millis(1)).await;
    drain(&rig).await;
    running.await.expect("it does not panic");
    assert!(stop.is_cancelled());
    rig.enqueue([job("a", 1)]).await;
    let report = rig.drain(rig.worker(sleeping(1))).await;
    assert_eq!(report.completed, 1);
}

#[tokio::test(start_paused = true)]
async fn a_worker_tells_what_it_has_handlers_for_and_what_it_holds() {
    let rig = Rig::new();
    rig.enqueue([job("a", 1)]).await;
    let running = Rig::start(rig.worker(sleeping(100_000)).drain_deadline(millis(1_000_000)));
    rig.events.wait_for("started a").await;
    sleep(millis(20_000)).await;
    let about = AboutWorker::read(&shown(&rig).await.about).expect("it is of this library");
    assert_eq!((about.pid, about.kinds), (std::process::id(), Some(vec!["work".to_owned()])));
    let [queue] = &about.queues[..] else { panic!("one queue, not {:?}", about.queues) };
    assert_eq!((&*queue.name, queue.weight, queue.holds), ("tests", 1, 1));
    let [held] = &about.jobs[..] else { panic!("one job, not {:?}", about.jobs) };
    assert_eq!((&*held.queue, &*held.id, held.seq, held.attempt), ("tests", "a", 1, 1));
    let start = rig.meta("a").await.created_at;
    assert_eq!((Some(held.since), about.started_at), (Some(start), Some(start)), "in store time");
    assert!(start > Timestamp::default() && !about.host.is_empty() && !about.version.is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_takes_any_kind_names_none() {
    let rig = Rig::new();
    let any = Router::new(()).fallback(|n: u32, _| async move { Ok(n) });
    let running = Rig::start(rig.worker(any));
    sleep(millis(1)).await;
    let about = AboutWorker::read(&shown(&rig).await.about).expect("it is of this library");
    assert_eq!(about.kinds, None);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_paused_worker_finishes_what_it_runs_and_claims_again_once_it_is_resumed() {
    let rig = Rig::new();
    rig.enqueue(["a", "b", "c"].map(|name| job(name, 1))).await;
    let running = Rig::start(rig.worker(sleeping(20_000)).concurrency(1).prefetch(1));
    rig.events.wait_for("started a").await;
    ask(&rig, Duty::Pause).await;
    rig.events.wait_for("released b").await;
    assert_eq!(rig.events.times_of("Paused").len(), 1);
    rig.events.wait_for("completed a").await;
    assert_eq!(rig.events.times_of("completed a"), [20_000], "what runs goes on");
    sleep(millis(300_000)).await;
    assert_eq!(shown(&rig).await.duty, Duty::Pause, "it is alive, and everybody sees what it does");
    assert_eq!(rig.events.times_of("started b"), [0; 0], "nothing starts");
    assert_eq!(rig.leased().await, 0, "nothing is held");
    ask(&rig, Duty::Work).await;
    rig.events.wait_for("completed c").await;
    assert_eq!((rig.events.times_of("Paused").len(), rig.events.times_of("Resumed").len()), (1, 1));
    let report = running.stop().await;
    assert_eq!((report.completed, report.failed), (3, 0));
}

#[tokio::test(start_paused = true)]
async fn a_paused_worker_drains_when_it_is_asked_to() {
    let rig = Rig::new();
    let running = Rig::start(rig.worker(sleeping(1)));
    sleep(millis(1)).await;
    ask(&rig, Duty::Pause).await;
    sleep(millis(15_000)).await;
    rig.enqueue([job("a", 1)]).await;
    drain(&rig).await;
    assert_eq!(running.ended().await.started, 0);
}
