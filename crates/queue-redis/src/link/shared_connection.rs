//! One attempt to connect, shared by all calls that wait for it.

use parking_lot::{Mutex, MutexGuard};
use queue_store::RuntimePart;
use redis::RedisResult;
use std::{fmt, sync::Arc};
use tokio::sync::OnceCell;

/// A connection that all calls of a handle on one runtime share, made when the first one wants it.
pub(crate) struct SharedConnection<C> {
    present: Mutex<Arc<ConnectAttempt<C>>>,
}

/// One attempt to connect, whose outcome is that of every call that waits for it.
type ConnectAttempt<C> = OnceCell<RedisResult<C>>;

/// A clone of the shared connection for one call, with the attempt that made it.
#[derive(Clone)]
pub(crate) struct ConnectionClone<C> {
    pub(crate) connection: C,
    attempt: Arc<ConnectAttempt<C>>,
}

impl<C: Clone> SharedConnection<C> {
    /// Gives a clone of the connection, and makes it if there is none. Calls that arrive meanwhile
    /// wait for the same attempt and share its failure: if each then tried by itself, one after the
    /// other, the last would wait many times as long as connecting may take.
    pub(crate) async fn lend<F>(&self, connect: impl FnOnce() -> F) -> RedisResult<ConnectionClone<C>>
    where
        F: Future<Output = RedisResult<C>>,
    {
        let attempt = self.present().clone();
        match attempt.get_or_init(connect).await.clone() {
            Ok(connection) => Ok(ConnectionClone { connection, attempt }),
            Err(error) => {
                self.replace(&attempt, Arc::default());
                Err(error)
            }
        }
    }

    /// Gives the connection up, so that the next call makes another one. Nothing happens if that
    /// was done since this clone was made.
    pub(crate) fn give_up(&self, clone: &ConnectionClone<C>) {
        self.replace(&clone.attempt, Arc::default());
    }

    /// Closes the connection.
    pub(crate) fn close(&self) {
        *self.present() = Arc::default();
    }

    fn replace(&self, former: &Arc<ConnectAttempt<C>>, new: Arc<ConnectAttempt<C>>) {
        let mut present = self.present();
        if Arc::ptr_eq(&present, former) {
            *present = new;
        }
    }

    fn present(&self) -> MutexGuard<'_, Arc<ConnectAttempt<C>>> {
        self.present.lock()
    }
}

impl<C: Clone + Send + Sync + 'static> RuntimePart for SharedConnection<C> {
    fn end(&self) {
        self.close();
    }
}

impl<C> Default for SharedConnection<C> {
    fn default() -> Self {
        Self { present: Mutex::default() }
    }
}

/// The driver's connections cannot all be shown.
impl<C> fmt::Debug for SharedConnection<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedConnection")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use redis::{ErrorKind, RedisError};
    use std::cell::Cell;

    #[tokio::test]
    async fn an_attempt_that_fails_fails_for_all_who_waited_and_the_next_call_tries_again() {
        let shared = SharedConnection::<()>::default();
        let attempts = Cell::new(0);
        let attempt = async || {
            attempts.set(attempts.get() + 1);
            tokio::task::yield_now().await;
            Err(RedisError::from((ErrorKind::Io, "nobody is there")))
        };
        let waited = join_all((0..3).map(|_| shared.lend(attempt))).await;
        assert!(waited.iter().all(Result::is_err));
        assert_eq!(attempts.get(), 1);
        assert!(shared.lend(attempt).await.is_err());
        assert_eq!(attempts.get(), 2);
    }

    #[tokio::test]
    async fn a_connection_is_given_up_once() {
        let shared = SharedConnection::<u32>::default();
        let made = Cell::new(0);
        let connect = async || {
            made.set(made.get() + 1);
            Ok(made.get())
        };
        let first = shared.lend(connect).await;
        let same = shared.lend(connect).await;
        let (Ok(first), Ok(same)) = (first, same) else { panic!("they connect") };
        assert_eq!((first.connection, same.connection), (1, 1));
        shared.give_up(&first);
        assert_eq!(shared.lend(connect).await.map(|clone| clone.connection), Ok(2));
        shared.give_up(&same);
        assert_eq!(shared.lend(connect).await.map(|clone| clone.connection), Ok(2), "it was given up before");
    }
}
