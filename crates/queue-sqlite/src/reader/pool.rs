//! The reader threads and the calls that wait for them.

use super::Snapshot;
use crate::writer::SqliteHandle;
use parking_lot::Mutex;
use queue_core::{Error, ErrorKind, Result};
use queue_store::Mailbox;
use rusqlite::Connection;
use std::{sync::Arc, thread::JoinHandle};
use tokio::sync::{mpsc, oneshot, watch};

/// How many threads read: two, so that one long listing does not delay every look-up.
pub(crate) const READERS: usize = 2;
/// How many reads may wait in the mailbox; further callers wait for a place in it.
const WAITING_MAX: usize = 1_024;
/// Prepared statements that each connection keeps.
const STATEMENTS_MAX: usize = 32;

type ReadCall = Box<dyn FnOnce(&Connection, &SqliteHandle) + Send>;

/// The handle's end of the reader threads.
pub(crate) struct Readers(Mailbox<ReadCall>);

impl Readers {
    /// Starts one thread per connection.
    pub(crate) fn start(shared: &Arc<SqliteHandle>, connections: Vec<Connection>) -> Result<Self> {
        let (work, inbox) = mpsc::channel(WAITING_MAX);
        let (ending, ended) = watch::channel(());
        let (inbox, ending) = (Arc::new(Mutex::new(inbox)), Arc::new(ending));
        let threads = connections.into_iter().map(|connection| {
            let (shared, inbox, ending) = (shared.clone(), inbox.clone(), ending.clone());
            spawn(move || {
                serve(&connection, &shared, &inbox);
                drop((connection, ending));
            })
        });
        let threads = threads.collect::<Result<_>>()?;
        Ok(Self(Mailbox::new(work, ended, threads)))
    }

    /// Runs a read on one consistent snapshot.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        operation: &'static str,
        read: impl FnOnce(&Snapshot<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let read: ReadCall = Box::new(move |connection, shared| {
            drop(reply.send(Snapshot::with(connection, shared, operation, read)));
        });
        self.0.send(operation, read).await?;
        answer.await.unwrap_or_else(|_| Err(Error::unanswered(operation)))
    }

    /// Finishes what was sent, and ends the threads.
    pub(crate) async fn close(&self) {
        self.0.close().await;
    }
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers").field("closed", &self.0.is_closed()).finish_non_exhaustive()
    }
}

fn spawn(main: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name("queue-sqlite-reader".to_owned());
    thread.spawn(main).map_err(|error| {
        Error::new(ErrorKind::Unavailable, "open", "no thread can be started").with_source(error)
    })
}

fn serve(connection: &Connection, shared: &SqliteHandle, inbox: &Mutex<mpsc::Receiver<ReadCall>>) {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // One thread holds the lock while it waits for a read, and releases it before it runs the read.
    let next = || inbox.lock().blocking_recv();
    while let Some(read) = next() {
        read(connection, shared);
    }
}
