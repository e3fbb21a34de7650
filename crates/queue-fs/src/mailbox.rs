use queue_core::{Error, ErrorKind, Result};
use std::{
    sync::{Mutex, PoisonError},
    thread::JoinHandle,
};
use tokio::sync::{mpsc, watch};

/// Work for threads that this handle owns: a bounded channel, the stop signal, and the join.
///
/// The stop signal is the end of the channel: the threads finish what was sent before, then end.
#[derive(Debug)]
pub(crate) struct Mailbox<T> {
    work: Mutex<Option<mpsc::Sender<T>>>,
    ended: watch::Receiver<()>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<T: Send + 'static> Mailbox<T> {
    /// `ended` closes when the last thread lets go of its sending half.
    pub(crate) fn new(
        work: mpsc::Sender<T>,
        ended: watch::Receiver<()>,
        threads: Vec<JoinHandle<()>>,
    ) -> Self {
        Self { work: Mutex::new(Some(work)), ended, threads: Mutex::new(threads) }
    }

    /// Waits for room and hands over.
    pub(crate) async fn send(&self, operation: &'static str, item: T) -> Result<()> {
        let work = lock(&self.work).clone().ok_or_else(|| Error::closed(operation))?;
        work.send(item).await.map_err(|_| Error::closed(operation))
    }

    /// Hands over if there is room and nobody has closed.
    pub(crate) fn try_send(&self, item: T) {
        if let Some(work) = lock(&self.work).clone() {
            drop(work.try_send(item));
        }
    }

    /// Refuses new work, and waits until the threads have finished what they have.
    pub(crate) async fn close(&self) {
        self.refuse();
        let mut ended = self.ended.clone();
        // Nothing is ever sent: this answers when the threads are gone.
        while ended.changed().await.is_ok() {}
        self.join();
    }

    /// True once closed.
    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.work).is_none()
    }
}

impl<T> Mailbox<T> {
    fn refuse(&self) {
        drop(lock(&self.work).take());
    }

    fn join(&self) {
        for thread in std::mem::take(&mut *lock(&self.threads)) {
            // A thread that panicked has already failed its callers.
            drop(thread.join());
        }
    }
}

/// Whoever drops the last handle waits for the transaction at hand, so that no thread outlives the handle.
impl<T> Drop for Mailbox<T> {
    fn drop(&mut self) {
        self.refuse();
        self.join();
    }
}

/// The answer never came, since the thread is gone.
pub(crate) fn lost(operation: &'static str) -> Error {
    Error::new(ErrorKind::Internal, operation, "the store's thread ended without an answer").unknown()
}

/// Nothing is left half done under these locks.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
