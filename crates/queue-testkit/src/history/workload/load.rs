//! A workload in real time that goes on until the test ends it.

use super::{Params, WorkloadReport, drain, pace::Pace, stage::Stage, waiter};
use crate::{
    fault::{FaultPlan, FaultStore},
    history::{History, Recorder, Rules, check},
};
use queue_core::Storage;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::task::JoinSet;

/// How far from its deadline a wait may be answered; generous, since a machine may be busy.
const WAIT_SLACK: Duration = Duration::from_secs(10);
/// The clocks of two processes of one host agree this well, even while the system's clock is
/// adjusted.
pub(super) const SKEW: Duration = Duration::from_millis(20);

/// The size of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadParams {
    /// The seed of all tasks' random choices.
    pub seed: u64,
    /// Part of the name of every task; each of several processes that share a history needs its
    /// own.
    pub name: String,
    /// The tasks. Their number of steps is ignored, and faults are left to the caller.
    pub tasks: Params,
    /// The number of tasks that enqueue a job and wait for its outcome.
    pub waiters: usize,
}

impl Default for LoadParams {
    fn default() -> Self {
        Self { seed: 0, name: "load".to_owned(), tasks: Params::default(), waiters: 2 }
    }
}

/// The tasks of a workload in real time, for faults that take time: they run until
/// [`finish`](Self::finish), through all that happens to the store meanwhile. Transient errors are
/// part of it; any other error ends the test.
///
/// The stores of a load need a real clock. Dropping a load ends its tasks where they are.
///
/// ```
/// use queue_memory::MemoryStorage;
/// use queue_testkit::history::{Load, LoadParams, Recorder};
/// use std::{sync::Arc, time::Duration};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let store = MemoryStorage::new();
/// let handles = vec![Arc::new(store.another_handle()) as _, Arc::new(store) as _];
/// let load = Load::start(handles, Arc::new(Recorder::new()), LoadParams::default());
/// tokio::time::sleep(Duration::from_millis(50)).await; // here somebody pulls plugs
/// let report = load.finish().await; // and here all plugs are in again
/// report.assert_clean();
/// # }
/// ```
#[derive(Debug)]
pub struct Load {
    stage: Stage,
    /// The tasks that work off the jobs of the others.
    workers: JoinSet<()>,
    is_over: Arc<AtomicBool>,
    others: JoinSet<()>,
    is_enough: Arc<AtomicBool>,
}

impl Load {
    /// Starts all tasks, which take turns on the handles and record their calls.
    ///
    /// # Panics
    /// Without a store, or outside a tokio runtime.
    pub fn start(stores: Vec<Arc<dyn Storage>>, recorder: Arc<Recorder>, params: LoadParams) -> Self {
        assert!(!stores.is_empty(), "a load needs a store");
        let LoadParams { seed, name, tasks: params, waiters } = params;
        let stores =
            stores.into_iter().map(|store| Arc::new(FaultStore::new(store, FaultPlan::new(seed)))).collect();
        let (is_over, is_enough) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let pace = Pace::Until(is_enough.clone());
        let mut stage = Stage { name, stores, recorder, pace, seed, params };
        let (mut others, mut workers) = (JoinSet::new(), JoinSet::new());
        stage.start_producers(&mut others);
        stage.start_meddlers(&mut others);
        for number in 0..waiters {
            others.spawn(waiter::wait(stage.actor("waiter", number)));
        }
        stage.pace = Pace::Until(is_over.clone());
        stage.start_workers(&mut workers);
        Self { stage, workers, is_over, others, is_enough }
    }

    /// Runs until the process ends.
    ///
    /// # Panics
    /// If a task panics.
    pub async fn go_on_for_ever(self) {
        self.others.join_all().await;
        self.workers.join_all().await;
    }

    /// Ends all tasks, works off what is left, reads every record, closes the handles and judges.
    /// All faults must have been healed.
    ///
    /// # Panics
    /// If a task panicked, or the store answers an error.
    pub async fn finish(self) -> WorkloadReport {
        self.finish_with(Vec::new()).await
    }

    /// Does the same, and judges the history together with the histories of other processes of this
    /// host that shared the store and have ended.
    ///
    /// # Panics
    /// As [`finish`](Self::finish).
    pub async fn finish_with(self, mut histories: Vec<History>) -> WorkloadReport {
        self.is_enough.store(true, Ordering::Release);
        // Workers run until no task waits for a job.
        self.others.join_all().await;
        self.is_over.store(true, Ordering::Release);
        self.workers.join_all().await;
        drain::drain(&self.stage.actor("drain", 0), &histories).await;
        for store in &self.stage.stores {
            store.close().await.expect("a handle closes");
        }
        histories.push(self.stage.recorder.history());
        let rules = Rules { concurrency_max: Some(1), wait_slack_ns: nanos(WAIT_SLACK), ..Rules::default() };
        let history =
            if histories.len() == 1 { histories.remove(0) } else { History::merge(histories, nanos(SKEW)) };
        let violations = check(&history, &rules);
        WorkloadReport { seed: self.stage.seed, history, violations, faults: 0 }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
