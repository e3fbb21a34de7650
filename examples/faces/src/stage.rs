//! The surroundings of a demonstration: a store, a queue with a fresh name, and where its lines are
//! printed.

use crate::Result;
use queue::{IdSource, Prune, Queue, Raw, Storage, TimeOrderedIds, open};
use std::{fmt, sync::Arc};

/// Records removed in one call when a stage is cleared.
const PRUNE_MAX: usize = 1000;

/// Where a demonstration runs: a store, a queue of its own in it, and an audience for what happens.
pub struct Stage {
    store: Arc<dyn Storage>,
    queue: String,
    audience: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Stage {
    /// A stage on the store of a URL. The queue's name is fresh, so that runs on a shared store do
    /// not meet.
    pub async fn open(
        url: &str,
        face: &str,
        audience: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self> {
        Ok(Self::on(open(url).await?, face, audience))
    }

    /// A stage on a store that was opened otherwise.
    pub fn on(store: Arc<dyn Storage>, face: &str, audience: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let queue = format!("example-{face}-{}", TimeOrderedIds::default().next_id());
        Self { store, queue, audience: Arc::new(audience) }
    }

    /// A stage on the store that the command line names, or else in memory; what happens is
    /// printed.
    pub async fn from_args(face: &str) -> Result<Self> {
        let url = std::env::args().nth(1).unwrap_or_else(|| "memory:".to_owned());
        Self::open(&url, face, |line| println!("{line}")).await
    }

    /// The store.
    pub fn store(&self) -> Arc<dyn Storage> {
        self.store.clone()
    }

    /// The name of the queue.
    pub fn queue(&self) -> &str {
        &self.queue
    }

    /// Prints what happened.
    pub fn say(&self, line: impl AsRef<str>) {
        (self.audience)(line.as_ref());
    }

    /// Removes what the demonstration left in the store, and closes it.
    pub async fn clear(self) -> Result {
        let queue: Queue<Raw> = Queue::new(self.store.clone(), &self.queue)?;
        while queue.prune(Prune::Everything, PRUNE_MAX).await? == PRUNE_MAX as u64 {}
        Ok(self.store.close().await?)
    }
}

impl Clone for Stage {
    fn clone(&self) -> Self {
        Self { store: self.store.clone(), queue: self.queue.clone(), audience: self.audience.clone() }
    }
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage").field("queue", &self.queue).finish_non_exhaustive()
    }
}
