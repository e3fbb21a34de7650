//! From the claim to the outcome. Handlers run in tasks of their own, which the tick owns.

use super::{FailureCause, Processor, ProcessorEvent, tick::IsTerminal, tick_tally::TickTally};
use crate::{
    runtime::{
        DoneItem, FailedItem, Finality, Handler, ItemError, Sink, Source,
        panics::{caught, guarded},
        retry::{self, Retry},
    },
    spawn::spawn,
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc::UnboundedSender},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// How an item ended.
pub(super) enum ItemEnd<T, O, E> {
    Done(DoneItem<T, O>),
    Failed(FailedItem<T, E>),
}

impl<T, O, E> ItemEnd<T, O, E> {
    pub(super) fn item(&self) -> &T {
        match self {
            Self::Done(it) => &it.item,
            Self::Failed(it) => &it.item,
        }
    }
}

/// How an item of a sink ended.
pub(super) type ItemEndOf<T, K> = ItemEnd<T, <K as Sink<T>>::Output, <K as Sink<T>>::Failure>;

impl<T, S, H, K> Processor<T, S, H, K>
where
    T: Clone + Send + Sync + 'static,
    S: Source<T>,
    K: Sink<T>,
    H: Handler<T, Output = K::Output, Error = K::Failure>,
{
    /// Starts items in order, gives back what a stop leaves unstarted, and waits for every handler.
    pub(super) async fn handle_all(
        &self,
        items: Vec<T>,
        ended: UnboundedSender<ItemEndOf<T, K>>,
        stop: &CancellationToken,
        tally: &Arc<TickTally<T>>,
    ) {
        let mut running = Vec::with_capacity(items.len());
        let mut waiting = items.into_iter();
        while !waiting.as_slice().is_empty() {
            let Some(permit) = self.free_handler(stop).await else { break };
            running.extend(waiting.next().map(|item| self.start(item, permit, ended.clone(), tally)));
        }
        drop(ended);
        tokio::join!(self.release(waiting.as_slice(), tally), join_all(running));
    }

    /// Waits until another handler may run; `None` once the processor is to stop.
    async fn free_handler(&self, stop: &CancellationToken) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            biased;
            () = stop.cancelled() => None,
            permit = self.handlers.clone().acquire_owned() => permit.ok(),
        }
    }

    fn start(
        &self,
        item: T,
        permit: OwnedSemaphorePermit,
        ended: UnboundedSender<ItemEndOf<T, K>>,
        tally: &Arc<TickTally<T>>,
    ) -> AbortOnDropHandle<()> {
        let handler = self.handler.clone();
        let budget = self.options.handle_budget;
        let is_terminal = self.options.is_terminal.clone();
        let tally = tally.clone();
        let freed = self.freed.clone();
        AbortOnDropHandle::new(spawn(async move {
            tally.emit(&ProcessorEvent::Started(&item));
            let outcome = attempt(&*handler, item.clone(), budget).await;
            drop(permit);
            freed.notify_waiters();
            // The receiver outlives this task, so an outcome always arrives.
            drop(ended.send(classify(item, outcome, &*is_terminal, &tally)));
        }))
    }

    async fn release(&self, items: &[T], tally: &TickTally<T>) {
        if items.is_empty() {
            return;
        }
        let retry = Retry::new(self.options.mark_backoff.clone()).budget(self.options.mark_budget);
        let released = retry::run(&retry, |_| async {
            caught(self.source.release(items)).await?.map_err(|error| error.to_string())
        });
        let error = released.await.err().map(|error| error.to_string());
        for item in items {
            tally.emit(&match &error {
                None => ProcessorEvent::Released(item),
                Some(error) => ProcessorEvent::Unreleased { item, error },
            });
        }
    }
}

/// Runs the handler once. Any panic of it is caught here, that of its call and of its drop too.
async fn attempt<T, H>(handler: &H, item: T, budget: Duration) -> Result<H::Output, ItemError<H::Error>>
where
    T: Send + 'static,
    H: Handler<T>,
{
    match caught(async { timeout(budget, handler.handle(item)).await }).await {
        Ok(Ok(Ok(output))) => Ok(output),
        Ok(Ok(Err(error))) => Err(ItemError::Failed(error)),
        Ok(Err(_elapsed)) => Err(ItemError::TimedOut(budget)),
        Err(message) => Err(ItemError::Panicked(message)),
    }
}

fn classify<T, O, E>(
    item: T,
    outcome: Result<O, ItemError<E>>,
    is_terminal: &IsTerminal<E>,
    tally: &TickTally<T>,
) -> ItemEnd<T, O, E> {
    match outcome {
        Ok(output) => {
            tally.emit(&ProcessorEvent::Succeeded(&item));
            ItemEnd::Done(DoneItem { item, output })
        }
        Err(error) => {
            let cause = FailureCause::from(&error);
            let finality = finality(&error, is_terminal);
            tally.emit(&ProcessorEvent::Failed { item: &item, cause, finality });
            ItemEnd::Failed(FailedItem { item, error, finality })
        }
    }
}

/// Whether another attempt may help. Where the classifier panics, it may.
fn finality<E>(error: &ItemError<E>, is_terminal: &IsTerminal<E>) -> Finality {
    let ItemError::Failed(error) = error else { return Finality::Retryable };
    match guarded("terminal classifier", || is_terminal(error)) {
        Some(true) => Finality::Terminal,
        _ => Finality::Retryable,
    }
}

async fn join_all(running: Vec<AbortOnDropHandle<()>>) {
    for task in running {
        if let Err(error) = task.await {
            tracing::error!(%error, "the task of an item ended without an outcome, which is a bug");
        }
    }
}
