//! The threads that read.

use crate::{KvDatabase, failure::KvResult, view::View};
use parking_lot::Mutex;
use queue_core::{Error, ErrorKind, Result};
use queue_store::Mailbox;
use std::{fmt, sync::Arc, thread::JoinHandle};
use tokio::sync::{mpsc, oneshot, watch};

/// The threads of a handle: more than one, so that a long listing does not hold up every read.
const READERS: usize = 2;
/// The most reads that wait in the mailbox; further callers wait for room.
const WAITING_MAX: usize = 1_024;

type Read = Box<dyn FnOnce(&KvDatabase) + Send>;

/// A handle's end of the threads.
pub(crate) struct Readers(Mailbox<Read>);

impl Readers {
    pub(crate) fn start(database: &Arc<KvDatabase>) -> Result<Self> {
        let (work, inbox) = mpsc::channel(WAITING_MAX);
        let (ending, ended) = watch::channel(());
        let (inbox, ending) = (Arc::new(Mutex::new(inbox)), Arc::new(ending));
        let threads = (0..READERS).map(|_| {
            let (database, inbox, ending) = (database.clone(), inbox.clone(), ending.clone());
            spawn(move || {
                serve(&database, &inbox);
                drop((database, ending));
            })
        });
        Ok(Self(Mailbox::new(work, ended, threads.collect::<Result<_>>()?)))
    }

    /// Runs a read at one moment of the database. If the future is dropped, the read still runs,
    /// and its answer is discarded.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        operation: &'static str,
        read: impl FnOnce(&View<'_>) -> KvResult<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let read: Read = Box::new(move |database| drop(reply.send(database.read(operation, read))));
        self.0.send(operation, read).await?;
        answer.await.unwrap_or_else(|_| Err(Error::unanswered(operation)))
    }

    /// Finishes the reads that were sent, and ends the threads.
    pub(crate) async fn close(&self) {
        self.0.close().await;
    }
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").field("closed", &self.0.is_closed()).finish_non_exhaustive()
    }
}

fn spawn(main: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name("queue-kv-reader".to_owned());
    thread.spawn(main).map_err(|error| {
        Error::new(ErrorKind::Unavailable, "open", "no thread can be started").with_source(error)
    })
}

fn serve(database: &KvDatabase, inbox: &Mutex<mpsc::Receiver<Read>>) {
    // The waiting thread holds the lock and releases it before it reads, so that the next thread
    // can wait meanwhile.
    let next = || inbox.lock().blocking_recv();
    while let Some(read) = next() {
        read(database);
    }
}
