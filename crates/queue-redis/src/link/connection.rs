//! A connection of the driver, and whether it still works.

use redis::aio::MultiplexedConnection;
use std::sync::Weak;

/// A connection of the driver, and whether the task that serves it still runs.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) driver: MultiplexedConnection,
    /// Alive as long as the task is: until the server hangs up, or the runtime of the task ends.
    task: Weak<()>,
}

impl Connection {
    pub(super) fn new(driver: MultiplexedConnection, task: Weak<()>) -> Self {
        Self { driver, task }
    }

    /// Whether a call can still reach the server.
    pub(super) fn is_alive(&self) -> bool {
        self.task.strong_count() > 0
    }
}
