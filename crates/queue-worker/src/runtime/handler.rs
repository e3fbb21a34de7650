//! What works on an item.

use async_trait::async_trait;
use std::sync::Arc;

/// Does the work of one item. The shape is that of tower's `Service` without readiness, since the
/// runtime bounds what runs at once.
///
/// A panic fails the item alone. The future may be dropped at any await when the worker's shutdown
/// deadline passes.
#[async_trait]
pub trait Handler<T: Send + 'static>: Send + Sync + 'static {
    /// What a success leaves.
    type Output: Send;
    /// What a failure leaves.
    type Error: Send;

    /// Works on one item.
    async fn handle(&self, item: T) -> Result<Self::Output, Self::Error>;

    /// The kinds of items that the handler takes, for people to look at. The default `None` is for
    /// a handler that takes any or does not say.
    fn kinds(&self) -> Option<Vec<String>> {
        None
    }
}

#[async_trait]
impl<T: Send + 'static, H: Handler<T> + ?Sized> Handler<T> for Arc<H> {
    type Output = H::Output;
    type Error = H::Error;

    async fn handle(&self, item: T) -> Result<Self::Output, Self::Error> {
        (**self).handle(item).await
    }

    fn kinds(&self) -> Option<Vec<String>> {
        (**self).kinds()
    }
}
