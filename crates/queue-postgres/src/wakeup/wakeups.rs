//! Subscriptions of one handle, by runtime.

use super::runtime_hints::RuntimeHints;
use crate::handle::HandleState;
use queue_core::{EventStream, Interest, QueueName, Result};
use queue_store::PerRuntime;
use std::sync::Arc;

/// The subscribers of a handle, by runtime. Each runtime that subscribes listens by itself, since
/// nothing moves a connection of another one while that stands still.
#[derive(Debug)]
pub(crate) struct Wakeups {
    handle: Arc<HandleState>,
    runtimes: PerRuntime<RuntimeHints>,
}

/// The state of the tasks that listen; the later one outweighs the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ListenerState {
    /// No runtime has a subscriber, or the connection is being made.
    Idle,
    /// All listen that have subscribers.
    Listening,
    /// One lost its connection and has no other yet, or it ended.
    Lost,
}

impl Wakeups {
    pub(crate) fn new(handle: Arc<HandleState>) -> Self {
        Self { handle, runtimes: PerRuntime::default() }
    }

    /// Registers a subscriber of the runtime that calls, at whose end the stream ends.
    pub(crate) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let hints = self.runtimes.here(|| RuntimeHints::new(self.handle.clone()));
        hints.subscribe(queue, interest).await
    }

    /// The state of the tasks that listen: the worst of them.
    pub(crate) fn listener_state(&self) -> ListenerState {
        let states = self.runtimes.all().into_iter().map(|hints| hints.listener_state());
        states.max().unwrap_or(ListenerState::Idle)
    }

    /// Ends every stream, and the tasks that listen. Only that of this runtime is waited for:
    /// another runtime may stand still.
    pub(crate) async fn close(&self) {
        self.runtimes.close_tasks(RuntimeHints::close).await;
    }
}
