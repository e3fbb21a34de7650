//! One connection to one server.

use super::{Connection, ConnectionClone, Dial, SharedConnection};
use redis::{RedisError, RedisResult};
use tracing::debug;

/// One connection that all calls share: a command that is sent while another one's answer is
/// awaited follows it at once. When it breaks, the next call makes another.
#[derive(Debug)]
pub(crate) struct Single {
    dial: Dial,
    shared: SharedConnection<Connection>,
}

impl Single {
    pub(crate) fn new(dial: Dial) -> Self {
        Self { dial, shared: SharedConnection::default() }
    }

    /// Lends a connection that is not known to be dead: a command sent on a dead one would leave
    /// its outcome in doubt. A connection is dead when it broke, or when the runtime that it was
    /// made on is gone.
    pub(crate) async fn lend(&self) -> RedisResult<ConnectionClone<Connection>> {
        let clone = self.shared.lend(|| self.dial.open()).await?;
        if clone.connection.is_alive() {
            return Ok(clone);
        }
        debug!("a connection is found dead; another is made");
        self.shared.give_up(&clone);
        self.shared.lend(|| self.dial.open()).await
    }

    /// Gives the connection up after an error that it does not outlive, or that says that this
    /// server is no master any more.
    pub(crate) fn give_up(&self, clone: &ConnectionClone<Connection>, error: &RedisError) {
        if error.is_io_error() || error.is_unrecoverable_error() || is_demoted(error) {
            debug!(kind = ?error.kind(), "a connection is given up; the next call makes another");
            self.shared.give_up(clone);
        }
    }

    /// Closes the connection.
    pub(crate) fn close(&self) {
        self.shared.close();
    }
}

fn is_demoted(error: &RedisError) -> bool {
    use redis::{ErrorKind, ServerErrorKind};
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}
