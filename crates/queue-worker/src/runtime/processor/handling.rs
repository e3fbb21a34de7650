//! From the claim to the outcome: handlers run in tasks of their own, which the tick owns.

use super::{FailureCause, Processor, ProcessorEvent, tally::Tally, tick::IsTerminal};
use crate::{
    runtime::{
        Done, Failed, Finality, Handler, ItemError, Sink, Source,
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
pub(super) enum Ended<T, O, E> {
    Done(Done<T, O>),
    Failed(Failed<T, E>),
}

impl<T, O, E> Ended<T, O, E> {
    pub(super) fn item(&self) -> &T {
        match self {
            Self::Done(it) => &it.item,
            Self::Failed(it) => &it.item,
        }
    }
}

/// The outcomes of a sink's items.
pub(super) type EndedOf<T, K> = Ended<T, <K as Sink<T>>::Output, <K as Sink<T>>::Failure>;

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
        ended: UnboundedSender<EndedOf<T, K>>,
        stop: &CancellationToken,
        tally: &Arc<Tally<T>>,
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
        ended: UnboundedSender<EndedOf<T, K>>,
        tally: &Arc<Tally<T>>,
    ) -> AbortOnDropHandle<()> {
        let (handler, budget) = (self.handler.clone(), self.options.handle_budget);
        let (is_terminal, tally, freed) =
            (self.options.is_terminal.clone(), tally.clone(), self.freed.clone());
        AbortOnDropHandle::new(spawn(async move {
            tally.emit(&ProcessorEvent::Started(&item));
            let outcome = attempt(&*handler, item.clone(), budget).await;
            drop(permit);
            freed.notify_waiters();
            // The marker outlives this task, so it always arrives.
            drop(ended.send(classify(item, outcome, &*is_terminal, &tally)));
        }))
    }

    async fn release(&self, items: &[T], tally: &Tally<T>) {
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

/// One run of the handler. Whatever of it panics, its call or its drop too, panics in here.
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
    tally: &Tally<T>,
) -> Ended<T, O, E> {
    match outcome {
        Ok(output) => {
            tally.emit(&ProcessorEvent::Succeeded(&item));
            Ended::Done(Done { item, output })
        }
        Err(error) => {
            let (cause, finality) = (FailureCause::from(&error), finality(&error, is_terminal));
            tally.emit(&ProcessorEvent::Failed { item: &item, cause, finality });
            Ended::Failed(Failed { item, error, finality })
        }
    }
}

/// A classifier that panics has said nothing, and another attempt may help.
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
