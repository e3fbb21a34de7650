use super::{
    batch,
    session::Session,
    task::{Call, Task, Verb},
};
use crate::{
    clock::StoreClock,
    connect::{connect_reader, connect_writer},
    error::Fault,
    options::SqliteOptions,
};
use queue_core::{Error, ErrorKind, Hub, Mailbox, Result};
use rusqlite::Connection;
use std::sync::{Arc, atomic::AtomicI64};
use tokio::sync::{mpsc, oneshot, watch};

/// Calls that may wait for the writer; further callers wait for room.
const WAITING_MAX: usize = 1_024;

/// What the threads of one handle share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: SqliteOptions,
    pub(crate) clock: StoreClock,
    pub(crate) hub: Arc<Hub>,
    /// Write transactions of this handle, to tell them from those of others.
    pub(crate) own_commits: AtomicI64,
}

/// A writer that has started, and connections for the readers.
pub(crate) struct Opened {
    pub(crate) writer: Writer,
    pub(crate) readers: Vec<Connection>,
}

/// The handle's end of the writer thread.
pub(crate) struct Writer(Mailbox<Box<dyn Task>>);

impl Writer {
    /// Starts the thread, which opens the file itself: even that is no work for an async thread.
    pub(crate) async fn start(shared: Arc<Shared>, readers: usize) -> Result<Opened> {
        let (work, inbox) = mpsc::channel(WAITING_MAX);
        let (ending, ended) = watch::channel(());
        let (opened, answer) = oneshot::channel();
        let thread = std::thread::Builder::new().name("queue-sqlite-writer".to_owned());
        let main = move || {
            run(&shared, inbox, readers, opened);
            drop(ending);
        };
        let thread = thread.spawn(main).map_err(|error| {
            Error::new(ErrorKind::Unavailable, "open", "no thread can be started").with_source(error)
        })?;
        let writer = Self(Mailbox::new(work, ended, vec![thread]));
        let readers = answer.await.unwrap_or_else(|_| Err(Error::unanswered("open")))?;
        Ok(Opened { writer, readers })
    }

    /// Sends a verb and waits for its durable answer. Dropping the future leaves the verb to finish on its own.
    pub(crate) async fn call<V: Verb>(&self, verb: V) -> Result<V::Answer> {
        let (reply, answer) = oneshot::channel();
        self.0.send(V::NAME, Box::new(Call { verb, kept: None, reply })).await?;
        answer.await.unwrap_or_else(|_| Err(Error::unanswered(V::NAME)))
    }

    /// Finishes what was sent, and ends the thread.
    pub(crate) async fn close(&self) {
        self.0.close().await;
    }

    /// True once closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}

fn run(
    shared: &Shared,
    mut inbox: mpsc::Receiver<Box<dyn Task>>,
    readers: usize,
    opened: oneshot::Sender<Result<Vec<Connection>>>,
) {
    let fault = |error| Fault::new(&shared.options.path, error).of("open");
    let connection = match connect_writer(&shared.options) {
        Ok(connection) => connection,
        Err(error) => return drop(opened.send(Err(error))),
    };
    let mut session = match Session::new(&connection, shared) {
        Ok(session) => session,
        Err(error) => return drop(opened.send(Err(fault(error)))),
    };
    let readers: rusqlite::Result<Vec<_>> = (0..readers).map(|_| connect_reader(&shared.options)).collect();
    if opened.send(readers.map_err(fault)).is_ok() {
        batch::serve(&mut session, &mut inbox);
    }
}
