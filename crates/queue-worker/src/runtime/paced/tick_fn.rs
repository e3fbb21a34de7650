//! A closure as a tick.

use super::{Pace, PacedTick};
use async_trait::async_trait;
use std::fmt;
use tokio_util::sync::CancellationToken;

/// A closure as a [`PacedTick`]; made by [`tick_fn`].
#[derive(Clone, Copy)]
pub struct TickFn<F>(F);

/// Makes a tick of a function of the stop token.
pub fn tick_fn<F, Fut>(function: F) -> TickFn<F>
where
    F: Fn(CancellationToken) -> Fut,
{
    TickFn(function)
}

#[async_trait]
impl<F, Fut, E> PacedTick for TickFn<F>
where
    F: Fn(CancellationToken) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Pace, E>> + Send + 'static,
    E: fmt::Display + Send,
{
    type Error = E;

    async fn tick(&self, stop: &CancellationToken) -> Result<Pace, E> {
        (self.0)(stop.clone()).await
    }
}

impl<F> fmt::Debug for TickFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TickFn(..)")
    }
}
