//! The conformance suite on the embedded database, one file per trial.

use kv_store_example::RedbKv;
use queue_core::{Clock, ClockBound, Storage};
use queue_kv::{KvDatabase, KvStorage};
use queue_testkit::{EmbeddedHarness, Facility, Failure};
use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

fn main() -> ExitCode {
    let harness = EmbeddedHarness::sharing(open, connect)
        .with_clock_bound(open_bounded)
        .with_facilities([Facility::DroppedClaims])
        .with_snapshot(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance_redb.snapshot"));
    queue_testkit::run("kv-redb", harness)
}

fn open(path: PathBuf, clock: Arc<dyn Clock>) -> Result<Arc<KvDatabase>, Failure> {
    Ok(KvDatabase::new(RedbKv::open(path)?, clock))
}

async fn open_bounded(
    path: PathBuf,
    clock: Arc<dyn Clock>,
    step_max: Duration,
) -> Result<Arc<dyn Storage>, Failure> {
    connect(KvDatabase::bounded(RedbKv::open(path)?, clock, ClockBound::new(step_max))).await
}

async fn connect(database: Arc<KvDatabase>) -> Result<Arc<dyn Storage>, Failure> {
    Ok(Arc::new(KvStorage::open(database).await?))
}
