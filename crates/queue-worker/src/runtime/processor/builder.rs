//! Collects and checks the settings of a processor.

use super::{
    Processor, ProcessorEvent,
    event::Observer,
    tick::{IsTerminal, Options},
};
use crate::runtime::{Handler, Sink, Source, retry::Backoff};
use queue_core::{Error, Result, RetryPolicy, Rng, SystemRng};
use std::{fmt, sync::Arc, time::Duration};

/// Most items that one processor may hold. A larger number is a typing error.
const SLOTS_MAX: usize = 100_000;
/// The waits between tries to mark an item.
const MARK_RETRY_BASE: Duration = Duration::from_millis(50);
const MARK_RETRY_CAP: Duration = Duration::from_secs(2);

/// Collects the settings of a [`Processor`].
pub struct ProcessorBuilder<T, S, H, K: Sink<T>>
where
    T: Send + Sync + 'static,
{
    source: S,
    handler: H,
    sink: K,
    batch_size: Option<usize>,
    concurrency: usize,
    handle_budget: Duration,
    mark_budget: Duration,
    mark_retry: RetryPolicy,
    rng: Arc<dyn Rng>,
    is_terminal: Arc<IsTerminal<K::Failure>>,
    observer: Observer<T>,
}

impl<T, S, H, K> ProcessorBuilder<T, S, H, K>
where
    T: Clone + Send + Sync + 'static,
    S: Source<T>,
    K: Sink<T>,
    H: Handler<T, Output = K::Output, Error = K::Failure>,
{
    pub(super) fn new(source: S, handler: H, sink: K) -> Self {
        Self {
            source,
            handler,
            sink,
            batch_size: None,
            concurrency: 16,
            handle_budget: Duration::from_secs(30),
            mark_budget: Duration::from_secs(10),
            mark_retry: RetryPolicy::exponential(MARK_RETRY_BASE).cap(MARK_RETRY_CAP).into(),
            rng: Arc::new(SystemRng),
            is_terminal: Arc::new(|_| false),
            observer: Observer::default(),
        }
    }

    /// The slots: most items held at once, and so the most that one claim asks for. Default: the
    /// concurrency, so that every item starts as soon as it is claimed. A larger batch means fewer
    /// claims, and items that wait for a handler.
    #[must_use]
    pub fn batch_size(mut self, items: usize) -> Self {
        self.batch_size = Some(items);
        self
    }

    /// How many handlers run at once. Default 16; with 1 items are handled in the order of the
    /// claim.
    #[must_use]
    pub fn concurrency(mut self, handlers: usize) -> Self {
        self.concurrency = handlers;
        self
    }

    /// The time one handler may take, after which it is dropped at its next await. Default 30 s.
    #[must_use]
    pub fn handle_budget(mut self, budget: Duration) -> Self {
        self.handle_budget = budget;
        self
    }

    /// The time for marking an item, all tries included. Giving back items that have not started
    /// has as much. A first try that hangs holds up those behind it for a tenth of a second.
    /// Default 10 s.
    #[must_use]
    pub fn mark_budget(mut self, budget: Duration) -> Self {
        self.mark_budget = budget;
        self
    }

    /// The waits between tries to mark. Default: 50 ms, doubling up to 2 s, for as long as the
    /// budget lasts.
    #[must_use]
    pub fn mark_retry(mut self, policy: impl Into<RetryPolicy>) -> Self {
        self.mark_retry = policy.into();
        self
    }

    /// Where the jitter of those waits comes from.
    #[must_use]
    pub fn rng(mut self, rng: Arc<dyn Rng>) -> Self {
        self.rng = rng;
        self
    }

    /// Which failures are final, so that no further attempt is made. Default: none. Panics and
    /// time-outs are never among them, though a sink that counts attempts may decide otherwise.
    #[must_use]
    pub fn is_terminal(mut self, is_terminal: impl Fn(&K::Failure) -> bool + Send + Sync + 'static) -> Self {
        self.is_terminal = Arc::new(is_terminal);
        self
    }

    /// Sets the function that is called for everything that happens to an item. It runs between the
    /// sink and the next mark, so it should be short.
    #[must_use]
    pub fn on_event(mut self, observe: impl Fn(&ProcessorEvent<'_, T>) + Send + Sync + 'static) -> Self {
        self.observer = Observer::new(observe);
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// `Invalid`, saying which setting and its bounds.
    pub fn build(self) -> Result<Processor<T, S, H, K>> {
        let slots = self.batch_size.unwrap_or(self.concurrency);
        if self.concurrency == 0 || slots > SLOTS_MAX {
            return Err(invalid(format!(
                "concurrency must be at least 1, and the batch at most {SLOTS_MAX}"
            )));
        }
        if slots < self.concurrency {
            return Err(invalid("a batch smaller than the concurrency would leave handlers idle".to_owned()));
        }
        if self.handle_budget.is_zero() || self.mark_budget.is_zero() {
            return Err(invalid("the budgets for handling and marking must be longer than zero".to_owned()));
        }
        let options = Options {
            slots,
            concurrency: self.concurrency,
            handle_budget: self.handle_budget,
            mark_budget: self.mark_budget,
            mark_backoff: Backoff::new(self.mark_retry).rng(self.rng),
            is_terminal: self.is_terminal,
        };
        Ok(Processor::new(self.source, self.handler, self.sink, options, self.observer))
    }
}

fn invalid(message: String) -> Error {
    Error::invalid("build processor", message)
}

impl<T: Send + Sync + 'static, S, H, K: Sink<T>> fmt::Debug for ProcessorBuilder<T, S, H, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessorBuilder")
            .field("batch_size", &self.batch_size)
            .field("concurrency", &self.concurrency)
            .field("handle_budget", &self.handle_budget)
            .field("mark_budget", &self.mark_budget)
            .finish_non_exhaustive()
    }
}
