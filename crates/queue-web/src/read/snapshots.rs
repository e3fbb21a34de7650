//! Answers of the store that several pages share for a moment.

use crate::problem::{Result, WebProblem};
use futures_util::future::{BoxFuture, FutureExt, Shared};
use parking_lot::Mutex;
use std::{any::Any, collections::HashMap, fmt, future::Future, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The most answers that are kept. Those that are too old go when there is no room for another.
const KEPT_MAX: usize = 256;

type Found = Arc<dyn Any + Send + Sync>;
type Load = Shared<BoxFuture<'static, Result<Found>>>;

/// Answers of the store by what was asked. Who asks while the same read is in flight joins it, and
/// who asks a moment later gets its answer: fifty tabs cost what one costs.
#[derive(Default)]
pub(crate) struct Snapshots(Mutex<HashMap<String, (Instant, Load)>>);

impl Snapshots {
    /// The answer for `key`, no older than `age`. The key must differ wherever the answer would
    /// differ, and for each type of answer.
    pub(crate) async fn get<T, F>(&self, key: String, age: Duration, read: F) -> Result<Arc<T>>
    where
        T: Send + Sync + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let load = self.load(key, age, read);
        let found = load.await?;
        found.downcast().map_err(|_| {
            tracing::error!("a key of snapshots stands for two types");
            WebProblem::new(http::StatusCode::INTERNAL_SERVER_ERROR, "The page could not be made.")
        })
    }

    /// Forgets all answers, also of reads that are in flight: who asks from here on gets a new one.
    pub(crate) fn forget(&self) {
        self.0.lock().clear();
    }

    fn load<T, F>(&self, key: String, age: Duration, read: F) -> Load
    where
        T: Send + Sync + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let now = Instant::now();
        let mut loads = self.0.lock();
        if let Some((begun, load)) = loads.get(&key) {
            // An error is for those who waited for it alone.
            let has_failed = load.peek().is_some_and(Result::is_err);
            if !has_failed && now.duration_since(*begun) < age {
                return load.clone();
            }
        }
        if loads.len() >= KEPT_MAX {
            loads.retain(|_, (begun, _)| now.duration_since(*begun) < age);
        }
        let load = async move { read.await.map(|found| Arc::new(found) as Found) }.boxed().shared();
        if loads.len() < KEPT_MAX {
            loads.insert(key, (now, load.clone()));
        }
        load
    }
}

impl fmt::Debug for Snapshots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshots").field("kept", &self.0.lock().len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Snapshots;
    use crate::problem::WebProblem;
    use futures_util::future::join_all;
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        time::Duration,
    };

    const AGE: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn many_who_ask_at_once_and_a_moment_later_cost_one_read() {
        let snapshots = Snapshots::default();
        let reads = Arc::new(AtomicUsize::new(0));
        let ask = || {
            let reads = reads.clone();
            snapshots.get("queues".to_owned(), AGE, async move {
                tokio::time::sleep(Duration::from_millis(300)).await;
                Ok(reads.fetch_add(1, Ordering::SeqCst))
            })
        };
        let found = join_all((0..50).map(|_| ask())).await;
        assert!(found.into_iter().all(|found| *found.unwrap() == 0));
        assert_eq!(*ask().await.unwrap(), 0);
        tokio::time::advance(AGE).await;
        assert_eq!(*ask().await.unwrap(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_forgotten_is_read_again_also_while_it_is_read() {
        let snapshots = Snapshots::default();
        let slow = snapshots.get("a".to_owned(), AGE, async {
            tokio::time::sleep(AGE / 2).await;
            Ok("before")
        });
        let change = async {
            tokio::task::yield_now().await;
            snapshots.forget();
            *snapshots.get("a".to_owned(), AGE, async { Ok("after") }).await.unwrap()
        };
        let (before, after) = tokio::join!(slow, change);
        assert_eq!((*before.unwrap(), after), ("before", "after"));
        assert_eq!(*snapshots.get("a".to_owned(), AGE, async { Ok("later") }).await.unwrap(), "after");
    }

    #[tokio::test]
    async fn an_error_is_not_kept() {
        let snapshots = Snapshots::default();
        let failed = snapshots.get::<u8, _>("a".to_owned(), AGE, async { Err(WebProblem::invalid("no")) });
        assert!(failed.await.is_err());
        assert_eq!(*snapshots.get("a".to_owned(), AGE, async { Ok(7_u8) }).await.unwrap(), 7);
    }
}
