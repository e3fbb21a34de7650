//! How the test kit makes stores in directories.

use queue_core::{Clock, Storage};
use queue_fs::{Flush, FsOptions, FsStorage};
use queue_testkit::{EmbeddedHarness, Facility, Failure};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// The settings with which directories are opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) flush: Flush,
    /// A small size makes the journal go through many compactions.
    pub(crate) segment_bytes: u64,
    /// A small budget makes jobs stay on disk.
    pub(crate) memory_budget_bytes: u64,
}

pub(crate) fn harness(settings: Settings) -> EmbeddedHarness {
    EmbeddedHarness::new(move |path, clock| open(settings, path, clock, Duration::MAX))
        .with_clock_bound(move |path, clock, step_max| open(settings, path, clock, step_max))
        .with_facilities([Facility::DroppedClaims])
        .with_snapshot(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance.snapshot"))
}

async fn open(
    settings: Settings,
    path: PathBuf,
    clock: Arc<dyn Clock>,
    step_max: Duration,
) -> Result<Arc<dyn Storage>, Failure> {
    let options = FsOptions::new(path)
        .clock(clock)
        .clock_step_max(step_max)
        .flush(settings.flush)
        .segment_bytes(settings.segment_bytes)
        .memory_budget_bytes(settings.memory_budget_bytes);
    Ok(Arc::new(FsStorage::open(options).await?))
}
