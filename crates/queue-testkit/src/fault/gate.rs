//! A gate that holds calls back until a test opens it.

use std::sync::Arc;
use tokio::sync::Semaphore;

/// Holds calls back until a test opens it. Clones are the same gate, and once open it stays open.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Semaphore>);

impl Gate {
    /// A gate that is shut.
    pub fn shut() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    /// Lets everybody through, now and later.
    pub fn open(&self) {
        self.0.close();
    }

    /// Answers once the gate is open.
    pub async fn passed(&self) {
        // No permit is ever given out, so this ends when the semaphore is closed.
        drop(self.0.acquire().await);
    }
}
