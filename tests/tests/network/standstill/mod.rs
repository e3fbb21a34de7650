//! Stores that stand still under two workers for longer than their leases last: what the handlers
//! have done by then is not done again, by either of them.
//!
//! `QUEUE_TEST_STILL_SECS=45` holds the stores for so long, instead of 4 seconds.

mod stores;
mod work;

use queue::{
    Queue, Result, State, Storage,
    worker::{Context, Router, WorkerReport},
};
use std::{env, sync::Arc, time::Duration};
use tokio::{sync::Semaphore, task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;

const JOBS: u64 = 40;
const WORKERS: u32 = 2;
const CONCURRENCY: u32 = 4;
const STILL_SECS: &str = "QUEUE_TEST_STILL_SECS";
/// Writes that wait for longer than this are refused, so that outcomes are sent again.
const BUSY: Duration = Duration::from_millis(300);

/// How long a store stands still.
fn still() -> Duration {
    let seconds = env::var(STILL_SECS).map_or(4, |text| text.parse().expect("a number of seconds"));
    Duration::from_secs(seconds)
}

/// The answer of a store whose time-outs are short, once it gives one.
async fn answered<T>(call: impl AsyncFn() -> Result<T>) -> T {
    loop {
        match call().await {
            Ok(answer) => return answer,
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
    }
}

/// Signals that a handler has started, and lets it end.
type Gates = (Arc<Semaphore>, Arc<Semaphore>);

fn router(gates: &Gates) -> Router<Gates> {
    let handler = |n: u64, context: Context<Gates>| async move {
        context.state().0.add_permits(1);
        context.state().1.acquire().await?.forget();
        Ok(n)
    };
    Router::new(gates.clone()).handle("default", handler).expect("one handler")
}

/// Has workers start jobs, holds the store, lets the handlers end, and lets the store go on later.
async fn outlast<H>(store: Arc<dyn Storage>, hold: impl AsyncFnOnce() -> H, let_go: impl AsyncFnOnce(H)) {
    let queue: Queue<u64, u64> = Queue::new(store.clone(), "still").expect("valid");
    for n in 0..JOBS {
        answered(async || queue.enqueue(n.to_string(), n).await).await;
    }
    let gates = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let mut running = JoinSet::new();
    let mut stops = Vec::new();
    for _ in 0..WORKERS {
        let worker = queue.worker(router(&gates)).concurrency(CONCURRENCY as usize).prefetch(0);
        let worker = worker.lease(still() / 4).grace(Duration::ZERO);
        let worker = worker.rescue_interval(Duration::from_millis(20)).build().expect("valid settings");
        stops.push(worker.stop_token());
        running.spawn(worker.run());
    }
    let (started, may_end) = gates;
    started.acquire_many(WORKERS * CONCURRENCY).await.expect("it is open").forget();
    let kept = hold().await;
    may_end.add_permits(100);
    sleep(still()).await;
    let_go(kept).await;
    while answered(async || queue.counts().await).await.of(State::Completed) < JOBS {
        sleep(Duration::from_millis(20)).await;
    }
    stops.iter().for_each(CancellationToken::cancel);
    let reports = running.join_all().await;
    let sum = |of: fn(&WorkerReport) -> u64| reports.iter().map(of).sum::<u64>();
    let sums = (sum(|it| it.started), sum(|it| it.completed), sum(|it| it.rescued));
    assert_eq!(sums, (JOBS, JOBS, 0), "{reports:?}");
    assert_eq!(answered(async || store.verify().await).await, Vec::<String>::new());
    store.close().await.expect("closes");
}
