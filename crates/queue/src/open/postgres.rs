use queue_core::{Coalesced, Result, Spawn, Storage};
use queue_postgres::{PostgresOptions, PostgresStorage};
use std::{future::Future, pin::Pin, sync::Arc};

/// Takes the URL as it came, since its parts and most of its options are the driver's. Calls of many tasks share commits.
pub(super) async fn open(url: &str) -> Result<Arc<dyn Storage>> {
    let store = PostgresStorage::open(PostgresOptions::new(url)?).await?;
    Ok(Arc::new(Coalesced::new(Arc::new(store), &TokioSpawn)))
}

/// Starts the tasks of the coalescing lanes, which end with the store.
#[derive(Debug)]
struct TokioSpawn;

impl Spawn for TokioSpawn {
    #[expect(clippy::disallowed_methods, reason = "the owner is `Coalesced`, whose drop ends the task")]
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        drop(tokio::spawn(task));
    }
}
