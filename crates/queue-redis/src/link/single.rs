//! One connection to one server, for each runtime that calls.

use super::{Connection, ConnectionClone, Dial, SharedConnection};
use queue_store::PerRuntime;
use redis::{RedisError, RedisResult};
use tracing::debug;

/// One connection that all calls of a runtime share: a command that is sent while another one's
/// answer is awaited follows it at once. When it breaks, the next call makes another.
///
/// The driver serves a connection by a task of the runtime that made it, so a call of another
/// runtime would wait for that one, which may stand still.
#[derive(Debug)]
pub(crate) struct Single {
    dial: Dial,
    shared: PerRuntime<SharedConnection<Connection>>,
}

impl Single {
    pub(crate) fn new(dial: Dial) -> Self {
        Self { dial, shared: PerRuntime::default() }
    }

    /// Gives a connection that is not known to be dead: a command sent on a dead one would leave
    /// its outcome in doubt.
    pub(crate) async fn lend(&self) -> RedisResult<ConnectionClone<Connection>> {
        let shared = self.shared.here(SharedConnection::default);
        let clone = shared.lend(|| self.dial.open()).await?;
        if clone.connection.is_alive() {
            return Ok(clone);
        }
        debug!("a connection is found dead; another is made");
        shared.give_up(&clone);
        shared.lend(|| self.dial.open()).await
    }

    /// Gives the connection up after an error that it does not outlive, or that says that this
    /// server is no master any more.
    pub(crate) fn give_up(&self, clone: &ConnectionClone<Connection>, error: &RedisError) {
        if error.is_io_error() || error.is_unrecoverable_error() || is_demoted(error) {
            debug!(kind = ?error.kind(), "a connection is given up; the next call makes another");
            // Each knows whether the clone is of its own connection.
            self.shared.all().iter().for_each(|shared| shared.give_up(clone));
        }
    }

    /// Closes the connections.
    pub(crate) fn close(&self) {
        self.shared.close().iter().for_each(|shared| shared.close());
    }
}

fn is_demoted(error: &RedisError) -> bool {
    use redis::{ErrorKind, ServerErrorKind};
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}
