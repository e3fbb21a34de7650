//! Wake-ups by other processes: the operating system reports that the mark was written, polling is the backstop, and a
//! look at the mark says whether it was ours.

use crate::{
    journal::{LOCK, Mark},
    signal::{Signal, Wake},
    sys::{Fs, FsFile, Open},
    writer::{CatchUp, Shared, Writer},
};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use queue_core::{Error, ErrorKind, Result};
use std::{
    ffi::OsStr,
    path::Path,
    sync::{Arc, atomic::Ordering},
    thread::JoinHandle,
    time::Duration,
};
use tokio::sync::oneshot;

/// Looks are at least this far apart, so that a busy journal costs a bounded part of a core.
const LOOK_SPACING: Duration = Duration::from_micros(250);

/// A thread that has the writer look when somebody else wrote. It ends with its handle.
#[derive(Debug)]
pub(crate) struct Watcher {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Starts the thread and waits until it watches, so that every later write of others is noticed.
    pub(crate) async fn start(shared: Arc<Shared>, writer: Arc<Writer>, fs: Arc<dyn Fs>) -> Result<Self> {
        let signal = Arc::new(Signal::default());
        let (started, answer) = oneshot::channel();
        let own = signal.clone();
        let thread = std::thread::Builder::new().name("queue-fs-watcher".to_owned());
        let thread = thread.spawn(move || run(&shared, &writer, &*fs, &own, started)).map_err(|error| {
            Error::new(ErrorKind::Unavailable, "subscribe", "no thread can be started").with_source(error)
        })?;
        let watcher = Self { signal, thread: Some(thread) };
        answer.await.unwrap_or_else(|_| Err(Error::unanswered("subscribe")))?;
        Ok(watcher)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.signal.stop();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn run(
    shared: &Shared,
    writer: &Writer,
    fs: &dyn Fs,
    signal: &Arc<Signal>,
    started: oneshot::Sender<Result<()>>,
) {
    // A simulated directory has no path that anything could be noticed at.
    let touches = if shared.options.fs.is_none() { watch(&shared.options.path, signal) } else { None };
    match fs.open(LOCK, Open::Existing) {
        Ok(mark) => {
            if started.send(Ok(())).is_ok() {
                look_on(shared, writer, &*mark, signal);
            }
        }
        Err(error) => {
            let unwatched = Error::new(ErrorKind::Unavailable, "subscribe", "the lock file cannot be opened");
            drop(started.send(Err(unwatched.with_source(error))));
        }
    }
    drop(touches);
}

/// Looks after each touch, and now and then without one.
fn look_on(shared: &Shared, writer: &Writer, mark: &dyn FsFile, signal: &Signal) {
    while signal.wait_for_touch(shared.options.poll_interval) != Wake::Stopped {
        // A failed look is one hint less; the next one follows soon.
        let others_wrote = Mark::read(mark)
            .ok()
            .flatten()
            .is_some_and(|mark| mark.commit != shared.seen.load(Ordering::SeqCst));
        if others_wrote && shared.hub.has_subscribers() {
            writer.nudge(CatchUp);
        }
        if signal.wait_out(LOOK_SPACING) == Wake::Stopped {
            return;
        }
    }
}

/// Asks the operating system for writes to the mark. Where it cannot, polling remains.
fn watch(path: &Path, signal: &Arc<Signal>) -> Option<RecommendedWatcher> {
    let signal = signal.clone();
    let touched = move |event: notify::Result<Event>| {
        let is_mark =
            |event: &Event| event.paths.iter().any(|path| path.file_name() == Some(OsStr::new(LOCK)));
        if event.is_ok_and(|event| event.kind.is_modify() && is_mark(&event)) {
            signal.touch();
        }
    };
    let mut watcher = notify::recommended_watcher(touched).ok()?;
    watcher.watch(path, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
