//! Hints: for each runtime that subscribes a stream of the server for each queue and topic, handed
//! out from here.
//!
//! A stream stays for some seconds after its last subscriber, so that calls that wait for results
//! one after the other do not connect each time. Absent on purpose: any state that a lost hint
//! could spoil. After a connection was lost, its subscribers get the hint to read again.

mod frames;
mod listener;
mod runtime_hints;

#[cfg(feature = "server")]
pub(crate) use frames::put_frame;
pub(crate) use frames::{Frames, PULSE};

use crate::handle::RemoteHandle;
use queue_core::{EventStream, Interest, QueueName, Result};
use queue_store::PerRuntime;
use runtime_hints::RuntimeHints;
use std::{sync::Arc, time::Duration};

/// The server sends something at least this often, so that either side notices that the other has
/// left.
#[cfg(feature = "server")]
pub(crate) const PULSE_EVERY: Duration = Duration::from_secs(10);
/// A stream that is silent for so long is given up.
pub(crate) const SILENT_MAX: Duration = Duration::from_secs(30);

/// The subscribers of a handle, by runtime. Each runtime that subscribes listens by itself, since
/// nothing moves a connection of another one while that stands still.
#[derive(Debug)]
pub(crate) struct Listeners {
    handle: Arc<RemoteHandle>,
    runtimes: PerRuntime<RuntimeHints>,
}

impl Listeners {
    pub(crate) fn new(handle: Arc<RemoteHandle>) -> Self {
        Self { handle, runtimes: PerRuntime::default() }
    }

    /// Registers a subscriber of the runtime that calls, at whose end the stream ends. The future
    /// ends once the server sends what is asked for.
    pub(crate) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.handle.check_open("subscribe")?;
        let hints = self.runtimes.here(|| RuntimeHints::new(self.handle.clone()));
        hints.subscribe(queue, interest).await
    }

    /// Ends every stream, now and later. Only the tasks of this runtime are waited for: another
    /// runtime may stand still.
    pub(crate) async fn close(&self) {
        self.runtimes.close_tasks(RuntimeHints::close).await;
    }
}
