use crate::spawn::owned;
use queue_core::{Coalesced, Result, Spawn, Storage};
use queue_redis::{RedisOptions, RedisStorage};
use std::{future::Future, pin::Pin, sync::Arc};

/// Takes the URL as it came, since its login is the driver's to read. Calls of many tasks share round trips.
pub(super) async fn open(url: &str) -> Result<Arc<dyn Storage>> {
    let store = RedisStorage::open(RedisOptions::new(url)?).await?;
    Ok(Arc::new(Coalesced::new(Arc::new(store), &Lanes)))
}

/// Starts the tasks of the coalescing lanes, which end with the store.
#[derive(Debug)]
struct Lanes;

impl Spawn for Lanes {
    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        owned(task);
    }
}
