//! Where items come from.

use async_trait::async_trait;
use std::{fmt, sync::Arc};

/// Where items come from: a table, an inbox, a topic.
#[async_trait]
pub trait Source<T: Send + Sync + 'static>: Send + Sync + 'static {
    /// Why no items came.
    type Error: fmt::Display + Send;

    /// Hands out at most `limit` items, in the order in which they should start. `limit` is at
    /// least one. The source hands an item out again only after it was released, or after a lease
    /// of the source's own has run out. Items beyond the limit are handled too, but wait for their
    /// turn.
    ///
    /// The future is dropped only with the whole tick. Then the source has to recover the items
    /// that it had claimed.
    async fn claim(&self, limit: usize) -> Result<Vec<T>, Self::Error>;

    /// Takes back items that were never started, because the program stops. It may be called again
    /// for the same items when an earlier call failed. By default it does nothing, which suits
    /// sources whose leases run out.
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
