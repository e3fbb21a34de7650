use super::Dial;
use redis::{RedisError, RedisResult, aio::MultiplexedConnection};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// One connection that all calls share: what is sent while an answer is awaited follows it at once. When it breaks, the
/// next call makes another.
#[derive(Debug)]
pub(crate) struct Single {
    dial: Dial,
    present: Mutex<Arc<OnceCell<MultiplexedConnection>>>,
}

/// A connection as one call uses it, and the means to say that it is of no more use.
#[derive(Debug)]
pub(crate) struct Lent {
    pub(crate) connection: MultiplexedConnection,
    cell: Arc<OnceCell<MultiplexedConnection>>,
}

impl Single {
    pub(crate) fn new(dial: Dial) -> Self {
        Self { dial, present: Mutex::default() }
    }

    /// The connection, made if there is none. Callers that come meanwhile wait for the same one.
    pub(crate) async fn lend(&self) -> RedisResult<Lent> {
        let cell = self.cell().clone();
        let connection = cell.get_or_try_init(|| self.dial.connect(None)).await?.clone();
        Ok(Lent { connection, cell })
    }

    /// After an error that the connection does not outlive, or that says that this server is no master any more.
    pub(crate) fn give_up(&self, lent: &Lent, error: &RedisError) {
        if error.is_io_error() || error.is_unrecoverable_error() || is_demoted(error) {
            let mut present = self.cell();
            if Arc::ptr_eq(&present, &lent.cell) {
                *present = Arc::default();
            }
        }
    }

    /// Lets go of the connection.
    pub(crate) fn close(&self) {
        *self.cell() = Arc::default();
    }

    fn cell(&self) -> std::sync::MutexGuard<'_, Arc<OnceCell<MultiplexedConnection>>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_demoted(error: &RedisError) -> bool {
    use redis::{ErrorKind, ServerErrorKind};
    error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly)
}
