//! The writer thread, and what it shares with the handle's other threads.

use super::{commit::Database, session::SqliteSession};
use crate::{
    clock::SqliteClock,
    connect::{Connections, connect},
    error::SqliteFault,
    files::FileGuard,
    options::SqliteOptions,
    own_commits::OwnCommits,
};
use queue_store::{
    Hub,
    group_commit::{Inbox, Writer},
};
use rusqlite::Connection;
use std::sync::Arc;
use tokio::sync::oneshot;

/// What the threads of one handle share.
#[derive(Debug)]
pub(crate) struct SqliteHandle {
    pub(crate) options: SqliteOptions,
    pub(crate) clock: SqliteClock,
    pub(crate) hub: Arc<Hub>,
    /// Whether the file is still the one at the path.
    pub(crate) files: FileGuard,
    /// Write transactions of this handle.
    pub(crate) own_commits: OwnCommits,
}

impl SqliteHandle {
    /// Fails if the files were removed or replaced: a write to such files is lost, and a read of
    /// them is stale.
    pub(crate) fn check_files(&self) -> Result<(), SqliteFault> {
        self.files.check(self.clock.ticks())
    }

    /// The reason for a failed statement. Missing files take precedence over what SQLite says.
    pub(crate) fn fault(&self, error: rusqlite::Error) -> SqliteFault {
        let fault = SqliteFault::new(&self.options.path, error);
        let is_lost = || self.files.check_now(self.clock.ticks()).err().filter(SqliteFault::is_lost);
        if fault.is_passing() { fault } else { is_lost().unwrap_or(fault) }
    }
}

/// Starts the thread. Returns the connections of this many readers.
pub(crate) async fn start(
    shared: Arc<SqliteHandle>,
    readers: usize,
) -> queue_core::Result<(Writer<Database>, Vec<Connection>)> {
    Writer::start("queue-sqlite-writer", move |inbox, opened| run(&shared, inbox, readers, opened)).await
}

fn run(
    shared: &SqliteHandle,
    inbox: Inbox<Database>,
    readers: usize,
    opened: oneshot::Sender<queue_core::Result<Vec<Connection>>>,
) {
    let fault = |error| SqliteFault::new(&shared.options.path, error).of("open");
    let Connections { writer, readers, files } = match connect(&shared.options, readers) {
        Ok(connections) => connections,
        Err(error) => return drop(opened.send(Err(error))),
    };
    shared.files.watch(files, shared.clock.ticks());
    let mut session = match SqliteSession::new(&writer, shared) {
        Ok(session) => session,
        Err(error) => return drop(opened.send(Err(fault(error)))),
    };
    // A caller that dropped the future of `open` has no handle, so there is nothing to serve.
    if opened.send(Ok(readers)).is_ok() {
        inbox.serve(&mut session);
    }
}
