//! The processor, and one tick of it.

use super::{ProcessorBuilder, TickReport, event::Observer, tick_tally::TickTally};
use crate::runtime::{Handler, Pace, PacedTick, Round, Sink, Source, retry::Backoff};
use async_trait::async_trait;
use std::{fmt, pin::pin, sync::Arc, time::Duration};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

/// Joins a [`Source`], a [`Handler`] and a [`Sink`]; see the [module's guide](crate::runtime).
///
/// An item is cloned once, for the handler, so put large bodies behind an `Arc`.
pub struct Processor<T: Send + Sync + 'static, S, H, K: Sink<T>> {
    pub(super) source: S,
    pub(super) handler: Arc<H>,
    pub(super) sink: K,
    pub(super) options: Options<K::Failure>,
    pub(super) observer: Arc<Observer<T>>,
    /// Room for items. Ticks that overlap share it.
    slots: Arc<Semaphore>,
    /// Room for running handlers. Ticks that overlap share it.
    pub(super) handlers: Arc<Semaphore>,
    /// Fires when a slot or a handler is free.
    pub(super) freed: Arc<Notify>,
}

/// While all handlers are at work, a claim is worth its round trip once this share of the slots is
/// free.
const CLAIMS_PER_ROUND: usize = 4;

/// The checked settings. The builder documents each.
pub(super) struct Options<E> {
    pub(super) slots: usize,
    pub(super) concurrency: usize,
    pub(super) handle_budget: Duration,
    pub(super) mark_budget: Duration,
    pub(super) mark_backoff: Backoff,
    pub(super) is_terminal: Arc<IsTerminal<E>>,
}

pub(super) type IsTerminal<E> = dyn Fn(&E) -> bool + Send + Sync;

impl<T, S, H, K> Processor<T, S, H, K>
where
    T: Clone + Send + Sync + 'static,
    S: Source<T>,
    K: Sink<T>,
    H: Handler<T, Output = K::Output, Error = K::Failure>,
{
    /// Starts to build a processor.
    pub fn builder(source: S, handler: H, sink: K) -> ProcessorBuilder<T, S, H, K> {
        ProcessorBuilder::new(source, handler, sink)
    }

    pub(super) fn new(
        source: S,
        handler: H,
        sink: K,
        options: Options<K::Failure>,
        observer: Observer<T>,
    ) -> Self {
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self {
            source,
            handler: Arc::new(handler),
            sink,
            slots: semaphore(options.slots),
            handlers: semaphore(options.concurrency),
            options,
            observer: Arc::new(observer),
            freed: Arc::default(),
        }
    }

    /// Claims once, no more than there are free slots, and sees every item that came through to its
    /// mark.
    ///
    /// After a stop nothing is claimed or started, and items that have not started are given back
    /// at once. Handlers that run go on within their budget and are marked. Ticks may overlap: they
    /// share slots and handlers, and a slot is free as soon as its item is marked. A
    /// [`PacedLoop`](crate::runtime::PacedLoop) overlaps them by itself.
    ///
    /// Dropping the future drops its handlers at their next await; their items are neither marked
    /// nor given back.
    ///
    /// # Errors
    /// Only the errors of the claim. A call that the sink or the source refuses afterwards is
    /// retried within its budget, then reported as an event and counted. A panic of the claim
    /// passes through.
    pub async fn tick(&self, stop: &CancellationToken) -> Result<TickReport, S::Error> {
        let Some((items, tally)) = self.claim(stop).await? else { return Ok(TickReport::default()) };
        self.see_through(items, tally.clone(), stop).await;
        Ok(tally.report())
    }

    /// Claims items for the free slots; `None` if no slot is free, or nothing is to start any more.
    async fn claim(&self, stop: &CancellationToken) -> Result<Option<(Vec<T>, Arc<TickTally<T>>)>, S::Error> {
        let Some(slots) = self.free_slots().filter(|_| !stop.is_cancelled()) else { return Ok(None) };
        // Awaited even after a stop: a claim that is dropped half-way would lose its items.
        let items = self.source.claim(slots.num_permits()).await?;
        let tally = TickTally::new(self.observer.clone(), slots, items.len(), self.freed.clone());
        Ok(Some((items, Arc::new(tally))))
    }

    async fn see_through(&self, items: Vec<T>, tally: Arc<TickTally<T>>, stop: &CancellationToken) {
        let _freed_when_dropped = tally.free_when_dropped();
        // The slots bound what is in the channel.
        let (ended, ending) = mpsc::unbounded_channel();
        tokio::join!(self.handle_all(items, ended, stop, &tally), self.mark_all(ending, &tally));
    }

    fn free_slots(&self) -> Option<OwnedSemaphorePermit> {
        let mut slots = self.slots.clone().try_acquire_owned().ok()?;
        // Another tick may take some in between. Then one is enough.
        let more = u32::try_from(self.slots.available_permits()).unwrap_or(u32::MAX);
        if let Ok(rest) = self.slots.clone().try_acquire_many_owned(more) {
            slots.merge(rest);
        }
        Some(slots)
    }

    /// Resolves when a claim is worth its round trip: a handler has nothing to do, or a fair number
    /// of items would fit.
    async fn room_for_a_claim(&self) {
        loop {
            let mut freed = pin!(self.freed.notified());
            freed.as_mut().enable();
            let (slots, handlers) = (self.slots.available_permits(), self.handlers.available_permits());
            if slots > 0 && (handlers > 0 || slots >= self.options.slots.div_ceil(CLAIMS_PER_ROUND)) {
                return;
            }
            freed.await;
        }
    }
}

/// A tick is busy exactly when a full batch came. A round that [starts](PacedTick::start) busy
/// answers once there is room for another claim, and goes on beside the next round. So a slot that
/// is free takes the next item, while the others go on.
#[async_trait]
impl<T, S, H, K> PacedTick for Processor<T, S, H, K>
where
    T: Clone + Send + Sync + 'static,
    S: Source<T>,
    K: Sink<T>,
    H: Handler<T, Output = K::Output, Error = K::Failure>,
{
    type Error = S::Error;

    async fn tick(&self, stop: &CancellationToken) -> Result<Pace, S::Error> {
        Ok(pace(&Processor::tick(self, stop).await?))
    }

    async fn start<'a>(&'a self, stop: &'a CancellationToken) -> Result<Round<'a>, S::Error> {
        let Some((items, tally)) = self.claim(stop).await? else { return Ok(Round::whole(Pace::Idle)) };
        let pace = pace(&tally.report());
        let mut rest = Box::pin(self.see_through(items, tally, stop));
        if pace == Pace::Busy {
            tokio::select! {
                biased;
                () = &mut rest => return Ok(Round::whole(pace)),
                () = self.room_for_a_claim() => {}
                () = stop.cancelled() => {}
            }
        }
        Ok(Round::with_rest(pace, rest))
    }
}

fn pace(report: &TickReport) -> Pace {
    if report.is_full() { Pace::Busy } else { Pace::Idle }
}

impl<T: Send + Sync + 'static, S, H, K: Sink<T>> fmt::Debug for Processor<T, S, H, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processor")
            .field("free_slots", &self.slots.available_permits())
            .field("concurrency", &self.options.concurrency)
            .field("observer", &self.observer)
            .finish_non_exhaustive()
    }
}
