use async_trait::async_trait;
use std::{fmt, sync::Arc};
use tokio_util::sync::CancellationToken;

/// One round of work, run by a [`PacedLoop`](super::PacedLoop). A [`Processor`](crate::runtime::Processor) is one.
#[async_trait]
pub trait PacedTick: Send + Sync + 'static {
    /// Why a round came to nothing.
    type Error: fmt::Display + Send;

    /// Does one round and says how to go on. Once `stop` fires it should come to an end, without starting anything.
    /// The future is dropped when it takes longer than the loop allows.
    async fn tick(&self, stop: &CancellationToken) -> Result<Pace, Self::Error>;
}

/// Whether more work is likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pace {
    /// Go on after the busy interval.
    Busy,
    /// Wait, each time longer.
    Idle,
}

#[async_trait]
impl<P: PacedTick + ?Sized> PacedTick for Arc<P> {
    type Error = P::Error;

    async fn tick(&self, stop: &CancellationToken) -> Result<Pace, P::Error> {
        (**self).tick(stop).await
    }
}
