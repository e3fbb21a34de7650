//! One round of work, and what a loop needs to know of it.

use super::Round;
use async_trait::async_trait;
use std::{fmt, sync::Arc};
use tokio_util::sync::CancellationToken;

/// One round of work, run by a [`PacedLoop`](super::PacedLoop). A
/// [`Processor`](crate::runtime::Processor) is one.
#[async_trait]
pub trait PacedTick: Send + Sync + 'static {
    /// Why a round came to nothing.
    type Error: fmt::Display + Send;

    /// Does one round and says how to go on. Once `stop` fires it should come to an end without
    /// starting anything. The future is dropped when it takes longer than the loop allows.
    async fn tick(&self, stop: &CancellationToken) -> Result<Pace, Self::Error>;

    /// Does a round up to where the next may follow, and leaves the rest to go on beside that one.
    /// A loop calls this method. By default nothing is left, so that one round follows the other.
    ///
    /// The implementation bounds the number of rounds beside each other: it answers no sooner than
    /// another has room. Dropping the future drops the round, as with [`tick`](Self::tick).
    async fn start<'a>(&'a self, stop: &'a CancellationToken) -> Result<Round<'a>, Self::Error> {
        Ok(Round::whole(self.tick(stop).await?))
    }
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

    async fn start<'a>(&'a self, stop: &'a CancellationToken) -> Result<Round<'a>, P::Error> {
        (**self).start(stop).await
    }
}
