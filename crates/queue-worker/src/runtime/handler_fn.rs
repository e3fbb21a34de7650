//! A closure as a handler.

use super::Handler;
use async_trait::async_trait;
use std::fmt;

/// A closure as a [`Handler`]; made by [`handler_fn`].
#[derive(Clone, Copy)]
pub struct HandlerFn<F>(F);

/// Makes a handler of a function of one item.
///
/// ```
/// use queue_worker::runtime::{Handler, handler_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let double = handler_fn(|n: u32| async move { n.checked_mul(2).ok_or("too large") });
/// assert_eq!(double.handle(21).await, Ok(42));
/// # }
/// ```
pub fn handler_fn<F>(function: F) -> HandlerFn<F> {
    HandlerFn(function)
}

#[async_trait]
impl<T, F, Fut, R, E> Handler<T> for HandlerFn<F>
where
    T: Send + 'static,
    F: Fn(T) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, E>> + Send + 'static,
    R: Send,
    E: Send,
{
    type Output = R;
    type Error = E;

    async fn handle(&self, item: T) -> Result<R, E> {
        (self.0)(item).await
    }
}

impl<F> fmt::Debug for HandlerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandlerFn(..)")
    }
}
