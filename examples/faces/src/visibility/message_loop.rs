//! The loops: each message has its own end, and only the store or a stop ends a loop.

use super::Visibility;
use futures_util::{FutureExt, StreamExt, stream};
use queue::{Decode, Delivery, Error, ErrorKind, Extended, Failure, Result};
use std::{
    any::Any,
    panic::AssertUnwindSafe,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// The longest wait of one claim; the loops then claim again.
const WAIT: Duration = Duration::from_mins(1);

impl<P: Decode> Visibility<P> {
    /// Handles messages one by one until `stop` fires. See [`run_batch`](Self::run_batch).
    pub async fn run<F, Fut>(&self, stop: &CancellationToken, handler: F) -> Result<()>
    where
        F: Fn(Arc<Delivery<P>>) -> Fut,
        Fut: Future<Output = Result<(), Failure>>,
    {
        self.run_batch(stop, 1, 1, handler).await
    }

    /// Claims up to `batch` messages at a time and handles up to `concurrency` at once, until
    /// `stop` fires; then handlers that run are waited for, and messages that have not been begun
    /// are given back.
    ///
    /// Before a message is handled it is extended, so it is hidden for the whole timeout from then
    /// on; one whose timeout passed before its turn is given back instead. A success acknowledges
    /// the message. A failure makes it visible again after a wait of one second, which doubles with
    /// each failure up to ten minutes. A panic is a failure. A message that does not decode becomes
    /// Failed as undecodable.
    ///
    /// # Errors
    /// The first of the store, which ends it as a stop does. What could not be settled becomes
    /// visible again after the timeout, and so do the messages of a dropped future.
    pub async fn run_batch<F, Fut>(
        &self,
        stop: &CancellationToken,
        batch: usize,
        concurrency: usize,
        handler: F,
    ) -> Result<()>
    where
        F: Fn(Arc<Delivery<P>>) -> Fut,
        Fut: Future<Output = Result<(), Failure>>,
    {
        while let Some(claimed) = self.claimed_unless(stop, batch.max(1)).await? {
            let failed = OnceLock::new();
            let messages = stream::iter(claimed).for_each_concurrent(concurrency.max(1), async |message| {
                let may_start = !stop.is_cancelled() && failed.get().is_none();
                if let Err(error) = self.handle_or_release(message, may_start, &handler).await {
                    let _first = failed.set(error);
                }
            });
            messages.await;
            failed.into_inner().map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    async fn claimed_unless(
        &self,
        stop: &CancellationToken,
        batch: usize,
    ) -> Result<Option<Vec<Delivery<P>>>> {
        tokio::select! {
            biased;
            () = stop.cancelled() => Ok(None),
            claimed = self.looped.dequeue_many(batch, WAIT) => claimed.or_else(none_if_undecodable).map(Some),
        }
    }

    /// Callers may look whether the message was still held; a loop goes on either way.
    async fn handle_or_release<F, Fut>(
        &self,
        message: Delivery<P>,
        may_start: bool,
        handler: &F,
    ) -> Result<()>
    where
        F: Fn(Arc<Delivery<P>>) -> Fut,
        Fut: Future<Output = Result<(), Failure>>,
    {
        // Only the store knows whether the message is still held: this program may have slept.
        if !may_start || message.extend(self.timeout).await? != Extended::Done {
            return message.release().await.map(|_settled| ());
        }
        let message = Arc::new(message);
        let settled = match outcome(handler, message.clone()).await {
            Ok(()) => message.ack(&()).await,
            Err(failure) => message.nack(failure).await,
        };
        settled.map(|_settled| ())
    }
}

/// Such messages are Failed by now, and the loop goes on with those behind them.
fn none_if_undecodable<P>(error: Error) -> Result<Vec<Delivery<P>>> {
    if error.kind() == ErrorKind::Invalid { Ok(Vec::new()) } else { Err(error) }
}

/// What the handler answered; a panic in it, in its call or in its drop is a failure.
async fn outcome<P, F, Fut>(handler: &F, message: Arc<Delivery<P>>) -> Result<(), Failure>
where
    F: Fn(Arc<Delivery<P>>) -> Fut,
    Fut: Future<Output = Result<(), Failure>>,
{
    let guarded = AssertUnwindSafe(async { handler(message).await });
    guarded.catch_unwind().await.unwrap_or_else(|panic| Err(Failure::new("Panic", message_of(&*panic))))
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let fixed = panic.downcast_ref::<&str>().copied();
    let made = || panic.downcast_ref::<String>().map(String::as_str);
    fixed.or_else(made).unwrap_or("a panic without a message")
}
