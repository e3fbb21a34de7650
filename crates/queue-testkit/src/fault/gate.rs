//! A gate that holds calls back until a test opens it.

use std::sync::Arc;
use tokio::sync::Semaphore;

/// Holds calls back until a test opens it. Clones share one gate, which stays open once it is open.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Semaphore>);

impl Gate {
    /// A gate that is shut.
    pub fn shut() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    /// Lets all calls through, now and later.
    pub fn open(&self) {
        self.0.close();
    }

    /// Waits until the gate is open.
    pub async fn passed(&self) {
        // The semaphore never has a permit, so `acquire` returns only when it is closed.
        drop(self.0.acquire().await);
    }
}
