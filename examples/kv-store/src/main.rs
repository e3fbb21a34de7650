//! The `queue` command with one store more: `redb:FILE` is a queue in a file of `redb`.
//!
//! ```sh
//! cargo run -p kv-store-example -- --store redb:jobs.redb enqueue hello
//! cargo run -p kv-store-example -- --store redb:jobs.redb work --exec 'cat' --drain
//! ```

use kv_store_example::RedbKv;
use queue_core::{ClockBound, Error, ErrorKind, Result, Storage, SystemClock};
use queue_kv::{KvDatabase, KvStorage};
use std::{process::ExitCode, sync::Arc};

fn main() -> ExitCode {
    queue_cli::main_with(|url| async move {
        match url.strip_prefix("redb:") {
            Some(path) => open(path).await,
            None => queue::open(&url).await,
        }
    })
}

async fn open(path: &str) -> Result<Arc<dyn Storage>> {
    let kv = RedbKv::open(path)
        .map_err(|error| Error::new(ErrorKind::Unavailable, "open", error.to_string()).with_source(error))?;
    let database = KvDatabase::bounded(kv, Arc::new(SystemClock), ClockBound::default());
    Ok(Arc::new(KvStorage::open(database).await?))
}
