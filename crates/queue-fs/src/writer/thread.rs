//! The writer thread, and what it shares with the handle's other threads.

use super::{commit::FsCommitter, session::JournalSession};
use crate::{connect::connect, journal::Journal, options::FsOptions, state::ForeignNews, sys::Fs};
use queue_core::Result;
use queue_store::{
    Hub,
    group_commit::{Inbox, Writer},
    watcher::Signal,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
use tokio::sync::oneshot;

/// How often opening a handle is tried, if the store is taken over meanwhile.
const OPENS_MAX: u32 = 5;

/// What the threads of one handle share.
#[derive(Debug)]
pub(crate) struct FsHandle {
    pub(crate) options: FsOptions,
    pub(crate) hub: Arc<Hub>,
    /// The number of the last record that this handle knows.
    pub(crate) seen: Arc<AtomicU64>,
    /// A subscriber of this handle got a hint of foreign writes since the watcher last asked.
    pub(crate) has_notified: AtomicBool,
    /// Touched when there are records to flush later.
    pub(crate) unflushed: Arc<Signal>,
}

impl FsHandle {
    pub(crate) fn new(options: FsOptions, hub: Arc<Hub>) -> Arc<Self> {
        let has_notified = AtomicBool::default();
        let unflushed = Arc::default();
        Arc::new(Self { options, hub, seen: Arc::default(), has_notified, unflushed })
    }

    /// Sends subscribers the hints of what other handles wrote, and notes for the watcher whether
    /// there were any.
    pub(crate) fn publish(&self, news: &mut ForeignNews) {
        if news.publish(&self.hub) {
            self.has_notified.store(true, Ordering::SeqCst);
        }
    }
}

/// Starts the thread. Returns the directory, for the watcher.
pub(crate) async fn start(shared: Arc<FsHandle>) -> Result<(Writer<FsCommitter>, Arc<dyn Fs>)> {
    Writer::start("queue-fs-writer", move |inbox, opened| run(&shared, inbox, opened)).await
}

fn run(shared: &Arc<FsHandle>, inbox: Inbox<FsCommitter>, opened: oneshot::Sender<Result<Arc<dyn Fs>>>) {
    let (mut session, fs) = match open(shared) {
        Ok(opened) => opened,
        Err(fault) => return drop(opened.send(Err(fault))),
    };
    if opened.send(Ok(fs)).is_ok() {
        inbox.serve(&mut session);
    }
    session.close();
}

fn open(shared: &Arc<FsHandle>) -> Result<(JournalSession, Arc<dyn Fs>)> {
    let fs = connect(&shared.options)?;
    let mut tries = 1..;
    loop {
        let journal = Journal::open(fs.clone(), &shared.options, shared.seen.clone());
        match journal.and_then(|journal| JournalSession::open(shared.clone(), journal)) {
            // The lock file was replaced during the wait, so there is another one to wait for.
            Err(fault) if fault.is_over() && tries.next() < Some(OPENS_MAX) => {}
            opened => return opened.map(|session| (session, fs)).map_err(|fault| fault.of("open")),
        }
    }
}
