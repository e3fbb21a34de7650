//! Wake-ups by other processes: the operating system reports writes of the mark, polling is the
//! backstop, and the mark says whether another handle wrote it.

use crate::{
    journal::{LOCK, Mark},
    sys::{Fs, FsFile, Open},
    writer::{FsCatchUp, FsCommitter, FsHandle},
};
use queue_core::{Error, ErrorKind, Result};
use queue_store::{
    group_commit::Writer,
    watcher::{DirectoryWatch, LazyWatcher, Look, Signal, Wake},
};
use std::{
    ffi::OsStr,
    io,
    path::Path,
    sync::{Arc, atomic::Ordering},
};
use tokio::sync::oneshot;
use tracing::warn;

/// Starts a thread that has the writer catch up when another handle wrote, unless there is one.
pub(crate) async fn start(
    watcher: &LazyWatcher,
    shared: Arc<FsHandle>,
    writer: Arc<Writer<FsCommitter>>,
    fs: Arc<dyn Fs>,
) -> Result<()> {
    let main = move |signal, started| run(&shared, &writer, &*fs, &signal, started);
    watcher.start("subscribe", "queue-fs-watcher", main).await
}

fn run(
    shared: &FsHandle,
    writer: &Writer<FsCommitter>,
    fs: &dyn Fs,
    signal: &Arc<Signal>,
    started: oneshot::Sender<Result<()>>,
) {
    // A simulated directory has no path to watch.
    let is_simulated = shared.options.fs.is_some();
    let touches = (!is_simulated).then(|| {
        watch(&shared.options.path, signal)
            .inspect_err(|error| warn!(%error, "writes of other processes are found by polling alone"))
    });
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

/// Looks at the mark after each touch, and once per poll interval without one.
fn look_on(shared: &FsHandle, writer: &Writer<FsCommitter>, mark: &dyn FsFile, signal: &Signal) {
    let mut last = Look::NothingNew;
    while signal.wait_for_touch(shared.options.poll_interval) != Wake::Stopped {
        // A failed look loses one hint; the next look follows soon.
        let others_wrote = Mark::read(mark)
            .ok()
            .flatten()
            .is_some_and(|mark| mark.commit != shared.seen.load(Ordering::SeqCst));
        if others_wrote && shared.hub.has_subscribers() {
            writer.nudge(FsCatchUp);
        }
        // The writer sends the hints while this waits, so the look before this one says how long to
        // wait.
        let spacing = if others_wrote { last.spacing() } else { Look::NothingNew.spacing() };
        if signal.wait_out(spacing) == Wake::Stopped {
            return;
        }
        last = match (shared.has_notified.swap(false, Ordering::SeqCst), others_wrote) {
            (true, _) => Look::Notified,
            (false, true) => Look::NoSubscriber,
            (false, false) => last,
        };
    }
}

/// Whether the operating system would report writes in this directory.
pub(crate) fn can_watch(path: &Path) -> bool {
    watch(path, &Arc::default()).is_ok()
}

/// Asks the operating system for writes to the mark. Where it cannot, polling remains.
fn watch(path: &Path, signal: &Arc<Signal>) -> io::Result<DirectoryWatch> {
    DirectoryWatch::start(path, OsStr::new(LOCK), signal)
}
