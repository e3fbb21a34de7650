//! A bounded channel to threads that a handle owns, which end when it is closed or dropped.

use parking_lot::Mutex;
use queue_core::{Error, Result};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, watch};

/// Work for threads that a store's handle owns: a bounded channel, the stop signal, and the join.
/// For stores whose calls block, such as stores of files and embedded databases.
///
/// The stop signal is the end of the channel: the threads finish what was sent before, then end.
/// Dropping the mailbox waits for that, so that no thread outlives its handle.
#[derive(Debug)]
pub struct Mailbox<T> {
    work: Mutex<Option<mpsc::Sender<T>>>,
    ended: watch::Receiver<()>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<T: Send + 'static> Mailbox<T> {
    /// The threads read the other end of `work`; `ended` closes when the last of them lets go of
    /// its sending half.
    pub fn new(work: mpsc::Sender<T>, ended: watch::Receiver<()>, threads: Vec<JoinHandle<()>>) -> Self {
        Self { work: Mutex::new(Some(work)), ended, threads: Mutex::new(threads) }
    }

    /// Waits for room and hands over.
    ///
    /// # Errors
    /// `Closed` once closed. A dropped future has handed over or not.
    pub async fn send(&self, operation: &'static str, item: T) -> Result<()> {
        let work = self.work.lock().clone().ok_or_else(|| Error::closed(operation))?;
        work.send(item).await.map_err(|_| Error::closed(operation))
    }

    /// Hands over if there is room and the mailbox is open.
    pub fn try_send(&self, item: T) {
        if let Some(work) = self.work.lock().clone() {
            drop(work.try_send(item));
        }
    }

    /// Refuses new work, and waits until the threads have finished what they have.
    pub async fn close(&self) {
        self.refuse();
        let mut ended = self.ended.clone();
        // Nothing is ever sent: this answers when the threads have ended.
        while ended.changed().await.is_ok() {}
        self.join();
    }

    /// True once closed.
    pub fn is_closed(&self) -> bool {
        self.work.lock().is_none()
    }
}

impl<T> Mailbox<T> {
    fn refuse(&self) {
        drop(self.work.lock().take());
    }

    fn join(&self) {
        for thread in std::mem::take(&mut *self.threads.lock()) {
            // A thread that panicked has already failed its callers.
            drop(thread.join());
        }
    }
}

/// The thread that drops the last handle waits for the transaction at hand, so that no thread of
/// the mailbox outlives the handle.
impl<T> Drop for Mailbox<T> {
    fn drop(&mut self) {
        self.refuse();
        self.join();
    }
}
