//! From the outcome to its mark. Outcomes that wait when the sink is free go as one batch, and none
//! waits for a timer. An outcome that the sink refuses is tried again on its own, and a batch that
//! it is slow about holds up little that comes later.

use super::{
    Processor, ProcessorEvent,
    handling::{ItemEnd, ItemEndOf},
    tick_tally::TickTally,
};
use crate::runtime::{
    DoneItem, FailedItem, Handler, Sink, Source,
    panics::caught,
    retry::{self, Retry},
};
use futures_util::{StreamExt, stream::FuturesUnordered};
use std::time::Duration;
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::{Instant, sleep_until, timeout},
};

/// Most outcomes in one batch.
const MARK_BATCH_MAX: usize = 1000;

/// The next batch goes after this long, even if the sink has not answered the one before.
const SLOW: Duration = Duration::from_millis(100);

/// The outcome of one call of the sink.
type Mark = Result<(), String>;

/// An outcome whose first try came to nothing.
pub(super) struct UnmarkedItem<E> {
    ended: E,
    /// When the budget for its mark began.
    since: Instant,
    /// The error of the sink for this item; `None` after a refused batch, whose error says little
    /// of each item.
    error: Option<String>,
}

type UnmarkedOf<T, K> = UnmarkedItem<ItemEndOf<T, K>>;

impl<T, S, H, K> Processor<T, S, H, K>
where
    T: Clone + Send + Sync + 'static,
    S: Source<T>,
    K: Sink<T>,
    H: Handler<T, Output = K::Output, Error = K::Failure>,
{
    /// Marks outcomes until every handler has ended and every outcome is marked or reported.
    pub(super) async fn mark_all(&self, ended: UnboundedReceiver<ItemEndOf<T, K>>, tally: &TickTally<T>) {
        // The slots bound what is in the channel, and how many are tried again at once.
        let (again, refused) = unbounded_channel();
        tokio::join!(self.first_tries(ended, again, tally), self.retries(refused, tally));
    }

    async fn retries(&self, mut refused: UnboundedReceiver<UnmarkedOf<T, K>>, tally: &TickTally<T>) {
        let mut running = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                Some(()) = running.next() => {}
                next = refused.recv() => match next {
                    Some(refused) => running.push(self.mark_again(refused, tally)),
                    None => break,
                },
            }
        }
        while running.next().await.is_some() {}
    }

    async fn first_tries(
        &self,
        mut ended: UnboundedReceiver<ItemEndOf<T, K>>,
        again: UnboundedSender<UnmarkedOf<T, K>>,
        tally: &TickTally<T>,
    ) {
        let mut tries = FuturesUnordered::new();
        let mut batch = Vec::new();
        let mut patience_ends_at = Instant::now();
        loop {
            // A quick sink gets one batch at a time; beside a slow one the next batch goes after
            // `SLOW`.
            let may_go = tries.is_empty() || Instant::now() >= patience_ends_at;
            tokio::select! {
                biased;
                Some(()) = tries.next() => {}
                count = ended.recv_many(&mut batch, MARK_BATCH_MAX), if may_go => {
                    if count == 0 {
                        break;
                    }
                    patience_ends_at = Instant::now() + SLOW;
                    tries.push(self.first_try(std::mem::take(&mut batch), &again, tally));
                }
                () = sleep_until(patience_ends_at), if !may_go => {}
            }
        }
        while tries.next().await.is_some() {}
    }

    async fn first_try(
        &self,
        batch: Vec<ItemEndOf<T, K>>,
        again: &UnboundedSender<UnmarkedOf<T, K>>,
        tally: &TickTally<T>,
    ) {
        let mut done = Vec::new();
        let mut failed = Vec::new();
        for outcome in batch {
            match outcome {
                ItemEnd::Done(it) => done.push(it),
                ItemEnd::Failed(it) => failed.push(it),
            }
        }
        let since = Instant::now();
        let (done_marked, failed_marked) = tokio::join!(self.try_done(&done), self.try_failed(&failed));
        conclude(done.into_iter().map(ItemEnd::Done).collect(), done_marked, since, again, tally);
        conclude(failed.into_iter().map(ItemEnd::Failed).collect(), failed_marked, since, again, tally);
    }

    async fn try_done(&self, batch: &[DoneItem<T, K::Output>]) -> Mark {
        match batch {
            [] => Ok(()),
            [DoneItem { item, output }] => self.bounded(self.sink.mark_done(item, output)).await,
            _ => self.bounded(self.sink.mark_done_batch(batch)).await,
        }
    }

    async fn try_failed(&self, batch: &[FailedItem<T, K::Failure>]) -> Mark {
        match batch {
            [] => Ok(()),
            [FailedItem { item, error, finality }] => {
                self.bounded(self.sink.mark_failed(item, error, *finality)).await
            }
            _ => self.bounded(self.sink.mark_failed_batch(batch)).await,
        }
    }

    /// Tries one item until its budget is spent.
    async fn mark_again(&self, refused: UnmarkedOf<T, K>, tally: &TickTally<T>) {
        let UnmarkedItem { ended, since, error: mut first_error } = refused;
        let item = ended.item();
        let ended = &ended;
        let budget = self.options.mark_budget.saturating_sub(since.elapsed());
        let retry = Retry::new(self.options.mark_backoff.clone()).budget(budget);
        let attempt = |_| {
            // The item was tried with its batch, and that error counts as the first of these tries.
            let known = first_error.take();
            async move {
                let marked = match known {
                    Some(error) => Err(error),
                    None => self.mark(ended).await,
                };
                marked.inspect_err(|error| tally.emit(&ProcessorEvent::MarkFailed { item, error }))
            }
        };
        match retry::run(&retry, attempt).await {
            Ok(()) => tally.emit(&ProcessorEvent::Marked(item)),
            Err(error) => {
                let error = error.to_string();
                tracing::error!(error, "the sink did not take an outcome");
                tally.emit(&ProcessorEvent::Unmarked { item, error: &error });
            }
        }
    }

    async fn mark(&self, ended: &ItemEndOf<T, K>) -> Mark {
        match ended {
            ItemEnd::Done(it) => self.try_done(std::slice::from_ref(it)).await,
            ItemEnd::Failed(it) => self.try_failed(std::slice::from_ref(it)).await,
        }
    }

    /// Makes one call of the sink. A panic, or no answer within the budget, is an error like any
    /// other.
    async fn bounded(&self, call: impl Future<Output = Result<(), K::Error>>) -> Mark {
        match timeout(self.options.mark_budget, caught(call)).await {
            Ok(answer) => answer?.map_err(|error| error.to_string()),
            Err(_elapsed) => Err("the sink did not answer in time".to_owned()),
        }
    }
}

/// Reports items that are marked, and passes on those that are not.
fn conclude<T, O, E>(
    batch: Vec<ItemEnd<T, O, E>>,
    marked: Mark,
    since: Instant,
    again: &UnboundedSender<UnmarkedItem<ItemEnd<T, O, E>>>,
    tally: &TickTally<T>,
) {
    let error = match marked {
        Ok(()) => return batch.iter().for_each(|ended| tally.emit(&ProcessorEvent::Marked(ended.item()))),
        Err(error) if batch.len() == 1 => Some(error),
        Err(_of_the_batch) => None,
    };
    for ended in batch {
        // The retries go on for as long as this sender lives.
        drop(again.send(UnmarkedItem { ended, since, error: error.clone() }));
    }
}
