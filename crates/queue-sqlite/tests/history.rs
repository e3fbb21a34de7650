//! Recorded workloads on two handles of one file, before and after a reopen, judged by the checker of the test kit.
//!
//! `QUEUE_TESTKIT_SEEDS=1000` runs more of them, `QUEUE_TESTKIT_SEED=7` one again.

use async_trait::async_trait;
use queue_core::{Clock, Storage};
use queue_sqlite::{SqliteOptions, SqliteStorage, Synchronous};
use queue_testkit::{
    Facility, Failure, Harness, Place,
    history::{Faults, Params, check_workload, seeds},
};
use std::sync::Arc;
use tempfile::TempDir;

struct SqliteHarness;

#[async_trait]
impl Harness for SqliteHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(Directory { directory: tempfile::tempdir()?, clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen, Facility::SecondHandle]
    }
}

/// The file, with what lies beside it.
#[derive(Debug)]
struct Directory {
    directory: TempDir,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Place for Directory {
    /// Without flushes: a workload cuts no power, and is about order.
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let options = SqliteOptions::new(self.directory.path().join("jobs.db"));
        let options = options.clock(self.clock.clone()).synchronous(Synchronous::Normal);
        Ok(Arc::new(SqliteStorage::open(options).await?))
    }
}

async fn run(faults: Faults) {
    for seed in seeds(3) {
        let params = Params::default().with_steps(25).with_faults(faults);
        check_workload(&SqliteHarness, seed, params).await.assert_clean();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workloads_without_faults_break_no_invariant() {
    run(Faults::None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workloads_with_lost_calls_break_no_invariant() {
    run(Faults::Losses).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn workloads_with_every_fault_break_no_invariant() {
    run(Faults::All).await;
}
