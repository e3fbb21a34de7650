use parking_lot::{Mutex, MutexGuard};
use redis::RedisResult;
use std::{fmt, sync::Arc};
use tokio::sync::OnceCell;

/// A connection that all calls of a handle share, made when the first one wants it.
pub(crate) struct Shared<C> {
    present: Mutex<Arc<Attempt<C>>>,
}

/// One attempt to connect, whose outcome is that of everybody who waits for it.
type Attempt<C> = OnceCell<RedisResult<C>>;

/// A connection as one call uses it, and the means to say that it is of no more use.
#[derive(Clone)]
pub(crate) struct Lent<C> {
    pub(crate) connection: C,
    attempt: Arc<Attempt<C>>,
}

impl<C: Clone> Shared<C> {
    /// The connection, made if there is none. Callers that come meanwhile wait for the same one, and share its failure: if
    /// each then tried by itself, one after the other, the last would wait many times as long as connecting may take.
    pub(crate) async fn lend<F>(&self, connect: impl FnOnce() -> F) -> RedisResult<Lent<C>>
    where
        F: Future<Output = RedisResult<C>>,
    {
        let attempt = self.present().clone();
        match attempt.get_or_init(connect).await.clone() {
            Ok(connection) => Ok(Lent { connection, attempt }),
            Err(error) => {
                self.replace(&attempt, Arc::default());
                Err(error)
            }
        }
    }

    /// The next call makes another one, unless that was done since this one was lent.
    pub(crate) fn give_up(&self, lent: &Lent<C>) {
        self.replace(&lent.attempt, Arc::default());
    }

    /// Lets go of the connection.
    pub(crate) fn close(&self) {
        *self.present() = Arc::default();
    }

    fn replace(&self, former: &Arc<Attempt<C>>, new: Arc<Attempt<C>>) {
        let mut present = self.present();
        if Arc::ptr_eq(&present, former) {
            *present = new;
        }
    }

    fn present(&self) -> MutexGuard<'_, Arc<Attempt<C>>> {
        self.present.lock()
    }
}

impl<C> Default for Shared<C> {
    fn default() -> Self {
        Self { present: Mutex::default() }
    }
}

/// The driver's connections cannot all be shown.
impl<C> fmt::Debug for Shared<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared")
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
        let (shared, attempts) = (Shared::<()>::default(), Cell::new(0));
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
        let (shared, made) = (Shared::<u32>::default(), Cell::new(0));
        let connect = async || {
            made.set(made.get() + 1);
            Ok(made.get())
        };
        let (first, same) = (shared.lend(connect).await, shared.lend(connect).await);
        let (Ok(first), Ok(same)) = (first, same) else { panic!("they connect") };
        assert_eq!((first.connection, same.connection), (1, 1));
        shared.give_up(&first);
        assert_eq!(shared.lend(connect).await.map(|lent| lent.connection), Ok(2));
        shared.give_up(&same);
        assert_eq!(shared.lend(connect).await.map(|lent| lent.connection), Ok(2), "it was given up before");
    }
}
