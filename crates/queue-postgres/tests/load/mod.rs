//! Loads in real time on two handles, during a fault.
#![allow(dead_code, reason = "each test file uses a part")]

use queue_core::Storage;
use queue_postgres::{PostgresOptions, PostgresStorage};
use queue_testkit::history::{Load, LoadParams, Params, Recorder, WorkloadReport};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// How long a fault lasts.
pub(crate) const LASTS: Duration = Duration::from_secs(2);

/// The size of a load: few enough tasks that a fault affects all of them, and that a history of two
/// seconds stays short.
pub(crate) fn params(seed: u64) -> LoadParams {
    let tasks = Params { producers: 2, workers: 4, meddlers: 2, ..Params::default() };
    LoadParams { seed, tasks, waiters: 2, ..LoadParams::default() }
}

/// Runs a load during a fault, which returns the number of its strikes; then drains, and judges.
pub(crate) async fn under(
    options: &PostgresOptions,
    params: LoadParams,
    fault: impl Future<Output = usize>,
) -> WorkloadReport {
    let mut stores: Vec<Arc<dyn Storage>> = Vec::new();
    for _ in 0..2 {
        stores.push(Arc::new(PostgresStorage::open(options.clone()).await.expect("it opens")));
    }
    let load = Load::start(stores, Arc::new(Recorder::new()), params);
    let strikes = fault.await;
    let report = load.finish().await;
    let events = report.history.events().len();
    let unanswered = report.unanswered();
    let completions = report.completions();
    println!(
        "seed {}: {strikes} strikes, {events} events, {unanswered} unanswered, {completions} completions",
        report.seed
    );
    assert!(strikes > 0, "the fault did nothing");
    assert!(completions > 0, "nothing was done at all");
    report.assert_clean();
    report
}

/// Strikes until the time is up, and returns the sum of the strikes.
pub(crate) async fn again_and_again(every: Duration, mut strike: impl AsyncFnMut() -> usize) -> usize {
    let (end, mut strikes) = (Instant::now() + LASTS, 0);
    while Instant::now() < end {
        sleep(every).await;
        strikes += strike().await;
    }
    strikes
}
