use super::{Dial, Lent, Shared};
use redis::{RedisError, RedisResult, aio::MultiplexedConnection};

/// One connection that all calls share: what is sent while an answer is awaited follows it at once. When it breaks, the
/// next call makes another.
#[derive(Debug)]
pub(crate) struct Single {
    dial: Dial,
    shared: Shared<MultiplexedConnection>,
}

impl Single {
    pub(crate) fn new(dial: Dial) -> Self {
        Self { dial, shared: Shared::default() }
    }

    pub(crate) async fn lend(&self) -> RedisResult<Lent<MultiplexedConnection>> {
        self.shared.lend(|| self.dial.connect(None)).await
    }

    /// After an error that the connection does not outlive, or that says that this server is no master any more.
    pub(crate) fn give_up(&self, lent: &Lent<MultiplexedConnection>, error: &RedisError) {
        if error.is_io_error() || error.is_unrecoverable_error() || is_demoted(error) {
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
