use super::{Connection, Dial, Lent, Shared};
use redis::{RedisError, RedisResult};
use tracing::debug;

/// One connection that all calls share: what is sent while an answer is awaited follows it at once. When it breaks, the
/// next call makes another.
#[derive(Debug)]
pub(crate) struct Single {
    dial: Dial,
    shared: Shared<Connection>,
}

impl Single {
    pub(crate) fn new(dial: Dial) -> Self {
        Self { dial, shared: Shared::default() }
    }

    /// Nothing is sent on a connection that is known to be dead, which would leave the outcome in doubt: it may have
    /// broken, or the runtime that it was made on is gone.
    pub(crate) async fn lend(&self) -> RedisResult<Lent<Connection>> {
        let lent = self.shared.lend(|| self.dial.open()).await?;
        if lent.connection.is_alive() {
            return Ok(lent);
        }
        debug!("a connection is found dead; another is made");
        self.shared.give_up(&lent);
        self.shared.lend(|| self.dial.open()).await
    }

    /// After an error that the connection does not outlive, or that says that this server is no master any more.
    pub(crate) fn give_up(&self, lent: &Lent<Connection>, error: &RedisError) {
        if error.is_io_error() || error.is_unrecoverable_error() || is_demoted(error) {
            debug!(kind = ?error.kind(), "a connection is given up; the next call makes another");
            self.shared.give_up(lent);
        }
    }

    /// Lets go of the connection.
    pub(crate) fn close(&self) {
        self.shared.close();
    }
}

fn is_demoted(error: &RedisError) -> bool {
    use redis::{ErrorKind, ServerErrorKind};
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}
