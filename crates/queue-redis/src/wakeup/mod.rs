//! Hints: one connection of a handle and runtime receives what scripts publish, for all queues and
//! subscribers.
//!
//! A queue has three channels: `wake` (a claim may find something), `ends` (awaited jobs ended or
//! were removed) and `feed` (every change, published only while it is requested). Ordinary
//! `PUBLISH` is used on a Cluster too: any node passes it on, so that one connection to any node is
//! enough.
//!
//! Absent on purpose: any state that a lost message could spoil. After a new connection each
//! subscriber gets the hint to read again.

mod channels;
mod feeder;
mod listener;
mod message;
mod runtime_hints;

use crate::{handle::HandleState, link::Dial};
use queue_core::{EventStream, Interest, QueueName, Result};
use queue_store::PerRuntime;
use runtime_hints::RuntimeHints;
use std::sync::Arc;

/// The subscribers of a handle, by runtime. Each runtime that subscribes listens by itself, since
/// nothing moves a connection of another one while that stands still.
#[derive(Debug)]
pub(crate) struct Wakeup {
    dial: Dial,
    handle: Arc<HandleState>,
    runtimes: PerRuntime<RuntimeHints>,
}

impl Wakeup {
    pub(crate) fn new(dial: Dial, handle: Arc<HandleState>) -> Self {
        Self { dial, handle, runtimes: PerRuntime::default() }
    }

    /// Registers a subscriber of the runtime that calls, at whose end the stream ends. The future
    /// ends once the server sends what is asked for.
    pub(crate) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let new = || RuntimeHints::new(self.dial.clone(), self.handle.clone());
        self.runtimes.here(new).subscribe(queue, interest).await
    }

    /// Ends every stream, and the tasks that listen. Only that of this runtime is waited for:
    /// another runtime may stand still.
    pub(crate) async fn close(&self) {
        self.runtimes.close_tasks(RuntimeHints::close).await;
    }
}
