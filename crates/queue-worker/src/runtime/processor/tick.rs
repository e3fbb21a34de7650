use super::{ProcessorBuilder, ProcessorEvent, TickReport, event::Observer};
use crate::runtime::{Handler, Pace, PacedTick, Sink, Source, retry::Backoff};
use async_trait::async_trait;
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::{Semaphore, SemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;

/// Joins a [`Source`], a [`Handler`] and a [`Sink`]; see the [module's guide](crate::runtime).
///
/// An item is cloned once, for the handler: put large bodies behind an `Arc`.
pub struct Processor<T: Send + Sync + 'static, S, H, K: Sink<T>> {
    pub(super) source: S,
    pub(super) handler: Arc<H>,
    pub(super) sink: K,
    pub(super) options: Options<K::Failure>,
    pub(super) observer: Arc<Observer<T>>,
    /// Room for items, shared by ticks that overlap.
    slots: Semaphore,
    /// Handlers that may run, shared likewise.
    pub(super) handlers: Arc<Semaphore>,
}

/// The validated settings; the builder documents each.
pub(super) struct Options<E> {
    pub(super) concurrency: usize,
    pub(super) handle_budget: Duration,
    pub(super) mark_budget: Duration,
    pub(super) mark_backoff: Backoff,
    pub(super) is_terminal: Arc<IsTerminal<E>>,
}

pub(super) type IsTerminal<E> = dyn Fn(&E) -> bool + Send + Sync;

/// Counts the events of one tick on their way to the observer.
pub(super) struct Tally<T> {
    observer: Arc<Observer<T>>,
    report: Mutex<TickReport>,
}

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
        slots: usize,
        options: Options<K::Failure>,
        observer: Observer<T>,
    ) -> Self {
        let (handler, observer) = (Arc::new(handler), Arc::new(observer));
        let (slots, handlers) = (Semaphore::new(slots), Arc::new(Semaphore::new(options.concurrency)));
        Self { source, handler, sink, options, observer, slots, handlers }
    }

    /// Claims once, no more than there are free slots, and sees every item that came through to its mark.
    ///
    /// After a stop nothing is claimed or started, and what has not started is given back at once; handlers that run
    /// go on within their budget and are marked. Ticks may overlap: they share slots and handlers.
    ///
    /// Dropping the future drops its handlers at their next await; their items are neither marked nor given back.
    ///
    /// # Errors
    /// Only those of the claim. What the sink or the source refuse afterwards is retried within its budget, then
    /// reported as an event and counted. A panic of the claim passes through.
    pub async fn tick(&self, stop: &CancellationToken) -> Result<TickReport, S::Error> {
        let Some(mut slots) = self.free_slots().filter(|_| !stop.is_cancelled()) else {
            return Ok(TickReport::default());
        };
        let asked = slots.num_permits();
        // Awaited whatever the stop says: a claim that is dropped half-way would lose its items.
        let items = self.source.claim(asked).await?;
        let claimed = items.len();
        drop(slots.split(asked.saturating_sub(claimed)));
        let tally = Arc::new(Tally::new(self.observer.clone(), asked, claimed));
        // The slots bound what is in the channel.
        let (ended, ending) = mpsc::unbounded_channel();
        tokio::join!(self.handle_all(items, ended, stop, &tally), self.mark_all(ending, &tally));
        Ok(tally.report())
    }

    fn free_slots(&self) -> Option<SemaphorePermit<'_>> {
        let mut slots = self.slots.try_acquire().ok()?;
        // Another tick may take some in between: then one is enough.
        let more = u32::try_from(self.slots.available_permits()).unwrap_or(u32::MAX);
        if let Ok(rest) = self.slots.try_acquire_many(more) {
            slots.merge(rest);
        }
        Some(slots)
    }
}

/// Busy exactly when a full batch came.
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
        let report = Processor::tick(self, stop).await?;
        Ok(if report.is_full() { Pace::Busy } else { Pace::Idle })
    }
}

impl<T> Tally<T> {
    fn new(observer: Arc<Observer<T>>, asked: usize, claimed: usize) -> Self {
        Self { observer, report: Mutex::new(TickReport { asked, claimed, ..TickReport::default() }) }
    }

    pub(super) fn emit(&self, event: &ProcessorEvent<'_, T>) {
        self.report.lock().unwrap_or_else(PoisonError::into_inner).count(event);
        self.observer.tell(event);
    }

    fn report(&self) -> TickReport {
        *self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
