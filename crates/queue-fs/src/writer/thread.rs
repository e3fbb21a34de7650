use super::{
    batch,
    session::Session,
    task::{Call, Task, Verb},
};
use crate::{connect::connect, journal::Journal, options::FsOptions, signal::Signal, sys::Fs};
use queue_core::{Error, ErrorKind, Hub, Mailbox, Result};
use std::sync::{Arc, atomic::AtomicU64};
use tokio::sync::{mpsc, oneshot, watch};

/// Calls that may wait for the thread; further callers wait for room.
const WAITING_MAX: usize = 1_024;

/// What the threads of one handle share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: FsOptions,
    pub(crate) hub: Arc<Hub>,
    /// The number of the last record that this handle knows.
    pub(crate) seen: Arc<AtomicU64>,
    /// Touched when there is something to flush by and by.
    pub(crate) unflushed: Signal,
}

/// The handle's end of the thread.
pub(crate) struct Writer(Mailbox<Box<dyn Task>>);

/// What the opening of a store answers: its directory, for whoever watches it.
type Opened = Result<Arc<dyn Fs>>;

impl Writer {
    /// Starts the thread, which opens the files itself: even that is no work for an async thread.
    pub(crate) async fn start(shared: Arc<Shared>) -> Result<(Self, Arc<dyn Fs>)> {
        let (work, inbox) = mpsc::channel(WAITING_MAX);
        let (ending, ended) = watch::channel(());
        let (opened, answer) = oneshot::channel();
        let thread = std::thread::Builder::new().name("queue-fs-writer".to_owned());
        let main = move || {
            run(&shared, inbox, opened);
            drop(ending);
        };
        let thread = thread.spawn(main).map_err(|error| {
            Error::new(ErrorKind::Unavailable, "open", "no thread can be started").with_source(error)
        })?;
        let writer = Self(Mailbox::new(work, ended, vec![thread]));
        let fs = answer.await.unwrap_or_else(|_| Err(Error::unanswered("open")))?;
        Ok((writer, fs))
    }

    /// Sends a verb and waits for its durable answer. Dropping the future leaves the verb to finish on its own.
    pub(crate) async fn call<V: Verb>(&self, verb: V) -> Result<V::Answer> {
        let (reply, answer) = oneshot::channel();
        self.0.send(V::NAME, Box::new(Call { verb, kept: None, reply })).await?;
        answer.await.unwrap_or_else(|_| Err(Error::unanswered(V::NAME)))
    }

    /// Sends a verb that nobody waits for, if there is room: another one will be sent anyway.
    pub(crate) fn nudge<V: Verb>(&self, verb: V) {
        let (reply, _) = oneshot::channel();
        self.0.try_send(Box::new(Call { verb, kept: None, reply }));
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

fn run(shared: &Arc<Shared>, mut inbox: mpsc::Receiver<Box<dyn Task>>, opened: oneshot::Sender<Opened>) {
    let (mut session, fs) = match open(shared) {
        Ok(opened) => opened,
        Err(error) => return drop(opened.send(Err(error))),
    };
    if opened.send(Ok(fs)).is_ok() {
        batch::serve(&mut session, &mut inbox);
    }
    session.close();
}

fn open(shared: &Arc<Shared>) -> Result<(Session, Arc<dyn Fs>)> {
    let fs = connect(&shared.options)?;
    let journal = Journal::open(fs.clone(), &shared.options, shared.seen.clone());
    let session = journal.and_then(|journal| Session::open(shared.clone(), journal));
    session.map(|session| (session, fs)).map_err(|fault| fault.of("open"))
}
