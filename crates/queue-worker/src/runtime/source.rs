use async_trait::async_trait;
use std::{fmt, sync::Arc};

/// Where items come from: a table, an inbox, a topic.
#[async_trait]
pub trait Source<T: Send + Sync + 'static>: Send + Sync + 'static {
    /// Why no items came.
    type Error: fmt::Display + Send;

    /// Hands out at most `limit` items (at least one is asked for) in the order in which they should start, and to
    /// nobody else until they are marked or released, or until a lease of the source's own runs out. Items beyond the
    /// limit are handled too, but wait for their turn.
    ///
    /// The future is dropped only when the whole tick is, and what it had claimed by then is the source's to recover.
    async fn claim(&self, limit: usize) -> Result<Vec<T>, Self::Error>;

    /// Takes back items that were never started, because the program stops. May be called again for the same items
    /// when an earlier call failed.
    ///
    /// Does nothing by default, which suits sources whose leases run out.
    async fn release(&self, items: &[T]) -> Result<(), Self::Error> {
        let _left_to_lapse = items;
        Ok(())
    }
}

#[async_trait]
impl<T: Send + Sync + 'static, S: Source<T> + ?Sized> Source<T> for Arc<S> {
    type Error = S::Error;

    async fn claim(&self, limit: usize) -> Result<Vec<T>, Self::Error> {
        (**self).claim(limit).await
    }

    async fn release(&self, items: &[T]) -> Result<(), Self::Error> {
        (**self).release(items).await
    }
}
