//! The settings of a retry.

use super::Backoff;
use std::{fmt, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// How [`run`](super::run) tries. Reusable: every run begins with a fresh count.
pub struct Retry<E> {
    pub(super) backoff: Backoff,
    pub(super) budget: Duration,
    pub(super) stop: CancellationToken,
    pub(super) is_terminal: Arc<dyn Fn(&E) -> bool + Send + Sync>,
    pub(super) observe: Arc<ObserveTry<E>>,
}

type ObserveTry<E> = dyn Fn(&FailedTry<'_, E>) + Send + Sync;

/// A try that failed, as the observer of a run sees it.
#[derive(Debug)]
#[non_exhaustive]
pub struct FailedTry<'a, E> {
    /// What went wrong.
    pub error: &'a E,
    /// Which try it was, from one.
    pub attempt: u32,
    /// The wait before the next; `None` if there is none.
    pub wait: Option<Duration>,
}

impl<E> Retry<E> {
    /// A retry with the tries of the backoff. Every error is worth another try.
    pub fn new(mut backoff: Backoff) -> Self {
        backoff.reset();
        Self {
            backoff,
            budget: Duration::MAX,
            stop: CancellationToken::new(),
            is_terminal: Arc::new(|_| false),
            observe: Arc::new(|_| ()),
        }
    }

    /// The time for all tries and waits together. A try that runs at its end is dropped. Default:
    /// no bound.
    #[must_use]
    pub fn budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Gives up when this fires. A try that runs then is dropped.
    #[must_use]
    pub fn stop(mut self, stop: CancellationToken) -> Self {
        self.stop = stop;
        self
    }

    /// Which errors are final, so that no further try is made.
    #[must_use]
    pub fn is_terminal(mut self, is_terminal: impl Fn(&E) -> bool + Send + Sync + 'static) -> Self {
        self.is_terminal = Arc::new(is_terminal);
        self
    }

    /// Called after every failed try, the last one too.
    #[must_use]
    pub fn observe(mut self, observe: impl Fn(&FailedTry<'_, E>) + Send + Sync + 'static) -> Self {
        self.observe = Arc::new(observe);
        self
    }
}

impl<E> fmt::Debug for Retry<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { backoff, budget, .. } = self;
        f.debug_struct("Retry").field("backoff", backoff).field("budget", budget).finish_non_exhaustive()
    }
}
