use super::{commit::Database, session::Session};
use crate::{
    clock::StoreClock,
    connect::{connect_reader, connect_writer},
    error::Fault,
    options::SqliteOptions,
};
use queue_core::{
    Hub, Result,
    group_commit::{Inbox, Writer},
};
use rusqlite::Connection;
use std::sync::{Arc, atomic::AtomicI64};
use tokio::sync::oneshot;

/// What the threads of one handle share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: SqliteOptions,
    pub(crate) clock: StoreClock,
    pub(crate) hub: Arc<Hub>,
    /// Write transactions of this handle, to tell them from those of others.
    pub(crate) own_commits: AtomicI64,
}

/// Starts the thread. It answers connections for so many readers.
pub(crate) async fn start(
    shared: Arc<Shared>,
    readers: usize,
) -> Result<(Writer<Database>, Vec<Connection>)> {
    Writer::start("queue-sqlite-writer", move |inbox, opened| run(&shared, inbox, readers, opened)).await
}

fn run(
    shared: &Shared,
    inbox: Inbox<Database>,
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
        inbox.serve(&mut session);
    }
}
