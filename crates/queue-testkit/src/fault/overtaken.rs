//! A store whose next changes come too late.

use async_trait::async_trait;
use futures_util::{FutureExt, future::BoxFuture};
use queue_core::{Applied, Result, Stamped, Storage, StorageLayer, lifecycle::Transition};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// What another caller does, on the store itself, before a change arrives.
type Before = dyn Fn(Arc<dyn Storage>, usize) -> BoxFuture<'static, ()> + Send + Sync;

/// A store with another caller that is quicker than the next calls of [`Storage::apply`]: what its
/// user has read and decided is out of date when the change arrives.
///
/// A plan of faults cannot show this, since nothing fails. What is tested is the code that decides
/// on what it has read, such as [`StorageExt::change`](queue_core::StorageExt::change).
pub struct Overtaken {
    store: Arc<dyn Storage>,
    before: Box<Before>,
    left: AtomicUsize,
}

impl Overtaken {
    /// Before each of the next `times` calls, `before` runs to its end. It gets the wrapped store,
    /// and the number of such calls that are still to come.
    #[must_use]
    pub fn new<F: Future<Output = ()> + Send + 'static>(
        store: Arc<dyn Storage>,
        times: usize,
        before: impl Fn(Arc<dyn Storage>, usize) -> F + Send + Sync + 'static,
    ) -> Arc<Self> {
        let before = Box::new(move |store, left| before(store, left).boxed());
        Arc::new(Self { store, before, left: times.into() })
    }
}

impl fmt::Debug for Overtaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overtaken").field("left", &self.left).finish_non_exhaustive()
    }
}

#[async_trait]
impl StorageLayer for Overtaken {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if let Ok(left) = left {
            (self.before)(self.store.clone(), left - 1).await;
        }
        self.store.apply(batch).await
    }
}
