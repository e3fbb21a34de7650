//! The conformance suite through a server, over a SQLite file of its own for each case.

mod common;

use common::harness::{RemoteHarness, Servers};
use queue_core::{Clock, Storage};
use queue_sqlite::{SqliteOptions, SqliteStorage};
use queue_testkit::{EmbeddedHarness, Failure};
use std::{path::PathBuf, process::ExitCode, sync::Arc};

fn main() -> ExitCode {
    let behind = Arc::new(EmbeddedHarness::new(open));
    let harness = RemoteHarness {
        behind,
        servers: Servers::One,
        reopens: true,
        snapshot: "conformance_sqlite.snapshot",
    };
    queue_testkit::run("remote-sqlite", harness)
}

async fn open(path: PathBuf, clock: Arc<dyn Clock>) -> Result<Arc<dyn Storage>, Failure> {
    Ok(Arc::new(SqliteStorage::open(SqliteOptions::new(path).clock(clock)).await?))
}
