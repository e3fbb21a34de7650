//! Where the outcomes of items go.

use super::{Finality, ItemError};
use async_trait::async_trait;
use std::{fmt, sync::Arc};

/// Where outcomes go. It is often the same object as the [`Source`](super::Source).
///
/// A mark is sent again when an earlier call failed or took too long, though that call may have had
/// its effect. So a mark must be idempotent, and change nothing for an item that another process
/// holds by now.
#[async_trait]
pub trait Sink<T: Send + Sync + 'static>: Send + Sync + 'static {
    /// What a success leaves, which is the handler's output.
    type Output: Send + Sync + 'static;
    /// What a failure leaves, which is the handler's error.
    type Failure: Send + Sync + 'static;
    /// Why a mark was not taken.
    type Error: fmt::Display + Send;

    /// Records that an item is done.
    async fn mark_done(&self, item: &T, output: &Self::Output) -> Result<(), Self::Error>;

    /// Records that an attempt failed, and whether another may follow.
    async fn mark_failed(
        &self,
        item: &T,
        error: &ItemError<Self::Failure>,
        finality: Finality,
    ) -> Result<(), Self::Error>;

    /// Records several at once. After an error each of them is marked on its own, so that one bad
    /// item holds up no other. By default a loop that ends at the first error.
    async fn mark_done_batch(&self, batch: &[DoneItem<T, Self::Output>]) -> Result<(), Self::Error> {
        for DoneItem { item, output } in batch {
            self.mark_done(item, output).await?;
        }
        Ok(())
    }

    /// As [`mark_done_batch`](Self::mark_done_batch), for failed attempts.
    async fn mark_failed_batch(&self, batch: &[FailedItem<T, Self::Failure>]) -> Result<(), Self::Error> {
        for FailedItem { item, error, finality } in batch {
            self.mark_failed(item, error, *finality).await?;
        }
        Ok(())
    }
}

/// An item whose handler succeeded.
#[derive(Clone, Debug)]
pub struct DoneItem<T, O> {
    /// The item as claimed.
    pub item: T,
    /// What the handler answered.
    pub output: O,
}

/// An item whose handler did not succeed.
#[derive(Clone, Debug)]
pub struct FailedItem<T, E> {
    /// The item as claimed.
    pub item: T,
    /// What went wrong.
    pub error: ItemError<E>,
    /// Whether another attempt may help.
    pub finality: Finality,
}

#[async_trait]
impl<T: Send + Sync + 'static, K: Sink<T> + ?Sized> Sink<T> for Arc<K> {
    type Output = K::Output;
    type Failure = K::Failure;
    type Error = K::Error;

    async fn mark_done(&self, item: &T, output: &K::Output) -> Result<(), K::Error> {
        (**self).mark_done(item, output).await
    }

    async fn mark_failed(
        &self,
        item: &T,
        error: &ItemError<K::Failure>,
        finality: Finality,
    ) -> Result<(), K::Error> {
        (**self).mark_failed(item, error, finality).await
    }

    async fn mark_done_batch(&self, batch: &[DoneItem<T, K::Output>]) -> Result<(), K::Error> {
        (**self).mark_done_batch(batch).await
    }

    async fn mark_failed_batch(&self, batch: &[FailedItem<T, K::Failure>]) -> Result<(), K::Error> {
        (**self).mark_failed_batch(batch).await
    }
}
