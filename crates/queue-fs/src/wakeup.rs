//! Wake-ups by other processes: the operating system reports that the mark was written, polling is the backstop, and a
//! look at the mark says whether it was ours.

use crate::{
    journal::{LOCK, Mark},
    sys::{Fs, FsFile, Open},
    writer::{CatchUp, Files, Shared},
};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use queue_core::{
    Error, ErrorKind, Result,
    group_commit::Writer,
    watcher::{Look, Signal, Wake, Watcher},
};
use std::{
    ffi::OsStr,
    path::Path,
    sync::{Arc, atomic::Ordering},
};
use tokio::sync::oneshot;

/// Starts a thread that has the writer look when somebody else wrote.
pub(crate) async fn start(
    shared: Arc<Shared>,
    writer: Arc<Writer<Files>>,
    fs: Arc<dyn Fs>,
) -> Result<Watcher> {
    let main = move |signal, started| run(&shared, &writer, &*fs, &signal, started);
    Watcher::start("subscribe", "queue-fs-watcher", main).await
}

fn run(
    shared: &Shared,
    writer: &Writer<Files>,
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
fn look_on(shared: &Shared, writer: &Writer<Files>, mark: &dyn FsFile, signal: &Signal) {
    let mut last = Look::Nothing;
    while signal.wait_for_touch(shared.options.poll_interval) != Wake::Stopped {
        // A failed look is one hint less; the next one follows soon.
        let others_wrote = Mark::read(mark)
            .ok()
            .flatten()
            .is_some_and(|mark| mark.commit != shared.seen.load(Ordering::SeqCst));
        if others_wrote && shared.hub.has_subscribers() {
            writer.nudge(CatchUp);
        }
        // The writer tells subscribers while this waits, so what the look before it came to decides how long.
        let spacing = if others_wrote { last.spacing() } else { Look::Nothing.spacing() };
        if signal.wait_out(spacing) == Wake::Stopped {
            return;
        }
        last = match (shared.was_told.swap(false, Ordering::SeqCst), others_wrote) {
            (true, _) => Look::Told,
            (false, true) => Look::Unheard,
            (false, false) => last,
        };
    }
}

/// Asks the operating system for writes to the mark. Where it cannot, polling remains.
fn watch(path: &Path, signal: &Arc<Signal>) -> Option<RecommendedWatcher> {
    let signal = signal.clone();
    let touched = move |event: notify::Result<Event>| {
        let is_mark =
            |event: &Event| event.paths.iter().any(|path| path.file_name() == Some(OsStr::new(LOCK)));
        if event.is_ok_and(|event| event.kind.is_modify() && is_mark(&event)) {
            signal.touch_until_taken();
        }
    };
    let mut watcher = notify::recommended_watcher(touched).ok()?;
    watcher.watch(path, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
