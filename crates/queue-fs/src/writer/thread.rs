use super::{commit::Files, session::Session};
use crate::{connect::connect, journal::Journal, options::FsOptions, state::ForeignNews, sys::Fs};
use queue_core::{
    Hub, Result,
    group_commit::{Inbox, Writer},
    watcher::Signal,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
use tokio::sync::oneshot;

/// How often a handle that is being opened may find that the store was taken over meanwhile.
const OPENS_MAX: u32 = 5;

/// What the threads of one handle share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: FsOptions,
    pub(crate) hub: Arc<Hub>,
    /// The number of the last record that this handle knows.
    pub(crate) seen: Arc<AtomicU64>,
    /// A subscriber here was told of what others wrote, since the watcher last asked.
    pub(crate) was_told: AtomicBool,
    /// Touched when there is something to flush by and by.
    pub(crate) unflushed: Arc<Signal>,
}

impl Shared {
    pub(crate) fn new(options: FsOptions, hub: Arc<Hub>) -> Arc<Self> {
        let (was_told, unflushed) = (AtomicBool::default(), Arc::default());
        Arc::new(Self { options, hub, seen: Arc::default(), was_told, unflushed })
    }

    /// Tells subscribers of what others wrote.
    pub(crate) fn publish(&self, news: &mut ForeignNews) {
        if news.publish(&self.hub) {
            self.was_told.store(true, Ordering::SeqCst);
        }
    }
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
    let mut tries = 1..;
    loop {
        let journal = Journal::open(fs.clone(), &shared.options, shared.seen.clone());
        match journal.and_then(|journal| Session::open(shared.clone(), journal)) {
            // The lock file was replaced while this waited for it: there is another one to wait for.
            Err(fault) if fault.is_over() && tries.next() < Some(OPENS_MAX) => {}
            opened => return opened.map(|session| (session, fs)).map_err(|fault| fault.of("open")),
        }
    }
}
