//! From the outcome to its mark: whatever waits when the sink is free goes as one batch, and nobody waits for a timer while
//! it answers. What it refuses is tried again on its own, and what it is slow about holds up little that comes later.

use super::{
    Processor, ProcessorEvent,
    handling::{Ended, EndedOf},
    tally::Tally,
};
use crate::runtime::{
    Done, Failed, Handler, Sink, Source,
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

/// A batch that the sink is slow about is followed by the next after this long.
const SLOW: Duration = Duration::from_millis(100);

/// The outcome of one call of the sink.
type Mark = Result<(), String>;

/// An outcome whose first try came to nothing.
pub(super) struct Refused<E> {
    ended: E,
    /// When its budget began.
    since: Instant,
    /// What the sink said of this item; `None` after a refused batch, which says little of each.
    error: Option<String>,
}

type RefusedOf<T, K> = Refused<EndedOf<T, K>>;

impl<T, S, H, K> Processor<T, S, H, K>
where
    T: Clone + Send + Sync + 'static,
    S: Source<T>,
    K: Sink<T>,
    H: Handler<T, Output = K::Output, Error = K::Failure>,
{
    /// Ends when every handler has ended and every outcome is marked or reported.
    pub(super) async fn mark_all(&self, ended: UnboundedReceiver<EndedOf<T, K>>, tally: &Tally<T>) {
        // The slots bound what is in the channel, and how many are tried again at once.
        let (again, refused) = unbounded_channel();
        tokio::join!(self.first_tries(ended, again, tally), self.retries(refused, tally));
    }

    async fn retries(&self, mut refused: UnboundedReceiver<RefusedOf<T, K>>, tally: &Tally<T>) {
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
        mut ended: UnboundedReceiver<EndedOf<T, K>>,
        again: UnboundedSender<RefusedOf<T, K>>,
        tally: &Tally<T>,
    ) {
        let (mut tries, mut batch, mut patience_ends_at) =
            (FuturesUnordered::new(), Vec::new(), Instant::now());
        loop {
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
        batch: Vec<EndedOf<T, K>>,
        again: &UnboundedSender<RefusedOf<T, K>>,
        tally: &Tally<T>,
    ) {
        let (mut done, mut failed) = (Vec::new(), Vec::new());
        for outcome in batch {
            match outcome {
                Ended::Done(it) => done.push(it),
                Ended::Failed(it) => failed.push(it),
            }
        }
        let since = Instant::now();
        let (done_marked, failed_marked) = tokio::join!(self.try_done(&done), self.try_failed(&failed));
        conclude(done.into_iter().map(Ended::Done).collect(), done_marked, since, again, tally);
        conclude(failed.into_iter().map(Ended::Failed).collect(), failed_marked, since, again, tally);
    }

    async fn try_done(&self, batch: &[Done<T, K::Output>]) -> Mark {
        match batch {
            [] => Ok(()),
            [Done { item, output }] => self.bounded(self.sink.mark_done(item, output)).await,
            _ => self.bounded(self.sink.mark_done_batch(batch)).await,
        }
    }

    async fn try_failed(&self, batch: &[Failed<T, K::Failure>]) -> Mark {
        match batch {
            [] => Ok(()),
            [Failed { item, error, finality }] => {
                self.bounded(self.sink.mark_failed(item, error, *finality)).await
            }
            _ => self.bounded(self.sink.mark_failed_batch(batch)).await,
        }
    }

    /// Tries one item until its budget is spent.
    async fn mark_again(&self, refused: RefusedOf<T, K>, tally: &Tally<T>) {
        let Refused { ended, since, error: mut first_error } = refused;
        let (item, ended) = (ended.item(), &ended);
        let budget = self.options.mark_budget.saturating_sub(since.elapsed());
        let retry = Retry::new(self.options.mark_backoff.clone()).budget(budget);
        let attempt = |_| {
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

    async fn mark(&self, ended: &EndedOf<T, K>) -> Mark {
        match ended {
            Ended::Done(it) => self.try_done(std::slice::from_ref(it)).await,
            Ended::Failed(it) => self.try_failed(std::slice::from_ref(it)).await,
        }
    }

    /// One call of the sink; a panic in it, or no answer within the budget, is an error like any other.
    async fn bounded(&self, call: impl Future<Output = Result<(), K::Error>>) -> Mark {
        match timeout(self.options.mark_budget, caught(call)).await {
            Ok(answer) => answer?.map_err(|error| error.to_string()),
            Err(_elapsed) => Err("the sink did not answer in time".to_owned()),
        }
    }
}

/// Reports what is marked, and passes on what is not.
fn conclude<T, O, E>(
    batch: Vec<Ended<T, O, E>>,
    marked: Mark,
    since: Instant,
    again: &UnboundedSender<Refused<Ended<T, O, E>>>,
    tally: &Tally<T>,
) {
    let error = match marked {
        Ok(()) => return batch.iter().for_each(|ended| tally.emit(&ProcessorEvent::Marked(ended.item()))),
        Err(error) if batch.len() == 1 => Some(error),
        Err(_of_the_batch) => None,
    };
    for ended in batch {
        // The retries go on for as long as this sender lives.
        drop(again.send(Refused { ended, since, error: error.clone() }));
    }
}
