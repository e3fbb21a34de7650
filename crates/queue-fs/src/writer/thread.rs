use super::{commit::Files, session::Session};
use crate::{connect::connect, journal::Journal, options::FsOptions, sys::Fs};
use queue_core::{
    Hub, Result,
    group_commit::{Inbox, Writer},
    watcher::Signal,
};
use std::sync::{Arc, atomic::AtomicU64};
use tokio::sync::oneshot;

/// What the threads of one handle share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: FsOptions,
    pub(crate) hub: Arc<Hub>,
    /// The number of the last record that this handle knows.
    pub(crate) seen: Arc<AtomicU64>,
    /// Touched when there is something to flush by and by.
    pub(crate) unflushed: Arc<Signal>,
}

/// Starts the thread. It answers the directory, for whoever watches it.
pub(crate) async fn start(shared: Arc<Shared>) -> Result<(Writer<Files>, Arc<dyn Fs>)> {
    Writer::start("queue-fs-writer", move |inbox, opened| run(&shared, inbox, opened)).await
}

fn run(shared: &Arc<Shared>, inbox: Inbox<Files>, opened: oneshot::Sender<Result<Arc<dyn Fs>>>) {
    let (mut session, fs) = match open(shared) {
        Ok(opened) => opened,
        Err(fault) => return drop(opened.send(Err(fault))),
    };
    if opened.send(Ok(fs)).is_ok() {
        inbox.serve(&mut session);
    }
    session.close();
}

fn open(shared: &Arc<Shared>) -> Result<(Session, Arc<dyn Fs>)> {
    let fs = connect(&shared.options)?;
    let journal = Journal::open(fs.clone(), &shared.options, shared.seen.clone());
    let session = journal.and_then(|journal| Session::open(shared.clone(), journal));
    session.map(|session| (session, fs)).map_err(|fault| fault.of("open"))
}
