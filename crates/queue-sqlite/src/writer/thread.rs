use super::{commit::Database, session::Session};
use crate::{
    clock::StoreClock,
    connect::{Connections, connect},
    error::Fault,
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
pub(crate) struct Shared {
    pub(crate) options: SqliteOptions,
    pub(crate) clock: StoreClock,
    pub(crate) hub: Arc<Hub>,
    /// Whether the file is still the one at the path.
    pub(crate) files: FileGuard,
    /// Write transactions of this handle.
    pub(crate) own_commits: OwnCommits,
}

impl Shared {
    /// What is written to files that are no longer there, or read from them, must not be told as the truth.
    pub(crate) fn check_files(&self) -> Result<(), Fault> {
        self.files.check(self.clock.ticks())
    }

    /// Why a statement failed: if the files are gone, that is why, whatever SQLite makes of it.
    pub(crate) fn fault(&self, error: rusqlite::Error) -> Fault {
        let fault = Fault::new(&self.options.path, error);
        let is_lost = || self.files.check_now(self.clock.ticks()).err().filter(Fault::is_lost);
        if fault.is_passing() { fault } else { is_lost().unwrap_or(fault) }
    }
}

/// Starts the thread. It answers connections for so many readers.
pub(crate) async fn start(
    shared: Arc<Shared>,
    readers: usize,
) -> queue_core::Result<(Writer<Database>, Vec<Connection>)> {
    Writer::start("queue-sqlite-writer", move |inbox, opened| run(&shared, inbox, readers, opened)).await
}

fn run(
    shared: &Shared,
    inbox: Inbox<Database>,
    readers: usize,
    opened: oneshot::Sender<queue_core::Result<Vec<Connection>>>,
) {
    let fault = |error| Fault::new(&shared.options.path, error).of("open");
    let Connections { writer, readers, files } = match connect(&shared.options, readers) {
        Ok(connections) => connections,
        Err(error) => return drop(opened.send(Err(error))),
    };
    shared.files.watch(files, shared.clock.ticks());
    let mut session = match Session::new(&writer, shared) {
        Ok(session) => session,
        Err(error) => return drop(opened.send(Err(fault(error)))),
    };
    if opened.send(Ok(readers)).is_ok() {
        inbox.serve(&mut session);
    }
}
