//! The one writer of a store that is a file, for which callers wait in turn.

use std::sync::Arc;

use anyhow::Result;
use tokio::sync::Mutex;

/// A file, or a connection to one. Callers write on their own threads, which block while the disk
/// flushes: a thread for the writer would add two wake-ups to each call.
pub(crate) struct Writer<T>(Arc<Mutex<T>>);

impl<T> Writer<T> {
    pub(crate) fn new(file: T) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    /// Runs `write` once all callers that came before are done.
    pub(crate) async fn run<A>(&self, write: impl FnOnce(&mut T) -> Result<A>) -> Result<A> {
        write(&mut *self.0.lock().await)
    }
}

impl<T> Clone for Writer<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
