//! Flushes by the clock, for handles that answer calls before they flush.

use crate::writer::{FsCommitter, FsFlushNow, FsHandle};
use queue_core::Result;
use queue_store::{
    group_commit::Writer,
    watcher::{Signal, Wake, Watcher},
};
use std::{sync::Arc, time::Duration};

/// How long the thread sleeps when there is nothing to flush.
const IDLE: Duration = Duration::from_secs(3600);

/// Starts a thread that has the writer flush one interval after the first unflushed write.
pub(crate) fn start(
    shared: Arc<FsHandle>,
    writer: Arc<Writer<FsCommitter>>,
    interval: Duration,
) -> Result<Watcher> {
    let signal = shared.unflushed.clone();
    Watcher::spawn("open", "queue-fs-flusher", signal, move || run(&shared.unflushed, &writer, interval))
}

fn run(unflushed: &Signal, writer: &Writer<FsCommitter>, interval: Duration) {
    loop {
        match unflushed.wait_for_touch(IDLE) {
            Wake::Stopped => return,
            Wake::TimedOut => {}
            Wake::Touched => {
                if unflushed.wait_out(interval) == Wake::Stopped {
                    return;
                }
                writer.nudge(FsFlushNow);
            }
        }
    }
}
