//! Flushes by the clock, for handles that answer before they flush.

use crate::{
    signal::Wake,
    writer::{FlushNow, Shared, Writer},
};
use queue_core::{Error, ErrorKind, Result};
use std::{sync::Arc, thread::JoinHandle, time::Duration};

/// How long the thread sleeps when there is nothing to flush.
const IDLE: Duration = Duration::from_hours(1);

/// A thread that has the writer flush a while after something was written. It ends with its handle.
#[derive(Debug)]
pub(crate) struct Flusher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Flusher {
    /// Starts the thread.
    pub(crate) fn start(shared: Arc<Shared>, writer: Arc<Writer>, interval: Duration) -> Result<Self> {
        let own = shared.clone();
        let thread = std::thread::Builder::new().name("queue-fs-flusher".to_owned());
        let thread = thread.spawn(move || run(&own, &writer, interval)).map_err(|error| {
            Error::new(ErrorKind::Unavailable, "open", "no thread can be started").with_source(error)
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        self.shared.unflushed.stop();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn run(shared: &Shared, writer: &Writer, interval: Duration) {
    loop {
        match shared.unflushed.wait_for_touch(IDLE) {
            Wake::Stopped => return,
            Wake::TimedOut => {}
            Wake::Touched => {
                if shared.unflushed.wait_out(interval) == Wake::Stopped {
                    return;
                }
                writer.nudge(FlushNow);
            }
        }
    }
}
