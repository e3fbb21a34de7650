//! The conformance suite on the embedded database, one file per trial.

use kv_store_example::RedbKv;
use queue_core::{Clock, Storage};
use queue_kv::{KvDatabase, KvStorage};
use queue_testkit::{EmbeddedHarness, Facility, Failure};
use std::{path::PathBuf, process::ExitCode, sync::Arc};

fn main() -> ExitCode {
    let harness = EmbeddedHarness::sharing(open, connect)
        .with_facilities([Facility::DroppedClaims])
        .with_snapshot(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance_redb.snapshot"));
    queue_testkit::run("kv-redb", harness)
}

fn open(path: PathBuf, clock: Arc<dyn Clock>) -> Result<Arc<KvDatabase>, Failure> {
    Ok(KvDatabase::new(RedbKv::open(path)?, clock))
}

async fn connect(database: Arc<KvDatabase>) -> Result<Arc<dyn Storage>, Failure> {
    Ok(Arc::new(KvStorage::open(database).await?))
}
