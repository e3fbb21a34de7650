//! What happens to an item in a processor.

use crate::runtime::{Finality, ItemError, panics::guarded};
use std::{fmt, sync::Arc};

/// Something that happened in a [`Processor`](super::Processor).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ProcessorEvent<'a, T> {
    /// A handler starts.
    Started(&'a T),
    /// The handler succeeded; the mark follows.
    Succeeded(&'a T),
    /// The handler did not succeed; the mark follows.
    Failed {
        /// Which item.
        item: &'a T,
        /// Why.
        cause: FailureCause,
        /// Whether another attempt may help, by the classifier.
        finality: Finality,
    },
    /// The sink has the outcome.
    Marked(&'a T),
    /// A mark did not succeed and is tried again while its budget lasts.
    MarkFailed {
        /// Which item.
        item: &'a T,
        /// The error of the sink.
        error: &'a str,
    },
    /// The budget for marking is spent. The outcome of the item is not recorded, unless the sink
    /// has it after all.
    Unmarked {
        /// Which item.
        item: &'a T,
        /// The last error of the sink.
        error: &'a str,
    },
    /// The item was given back before it started.
    Released(&'a T),
    /// The source did not take the item back within the budget for marking.
    Unreleased {
        /// Which item.
        item: &'a T,
        /// The last error of the source.
        error: &'a str,
    },
}

impl<T> ProcessorEvent<'_, T> {
    /// Whether nothing follows for this item.
    pub(super) fn is_last(&self) -> bool {
        matches!(self, Self::Marked(_) | Self::Unmarked { .. } | Self::Released(_) | Self::Unreleased { .. })
    }
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureCause {
    /// The handler answered an error.
    Error,
    /// The handler panicked.
    Panic,
    /// The handler was over its time budget.
    Timeout,
}

/// The program's own listener. A panic in it must not end the tick.
pub(super) struct Observer<T>(Option<Arc<ObserveEvent<T>>>);

type ObserveEvent<T> = dyn Fn(&ProcessorEvent<'_, T>) + Send + Sync;

impl<T> Observer<T> {
    pub(super) fn new(observe: impl Fn(&ProcessorEvent<'_, T>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(observe)))
    }

    pub(super) fn tell(&self, event: &ProcessorEvent<'_, T>) {
        if let Some(observe) = &self.0 {
            let _told = guarded("processor observer", || observe(event));
        }
    }
}

impl<T> Default for Observer<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<E> From<&ItemError<E>> for FailureCause {
    fn from(error: &ItemError<E>) -> Self {
        match error {
            ItemError::Failed(_) => Self::Error,
            ItemError::Panicked(_) => Self::Panic,
            ItemError::TimedOut(_) => Self::Timeout,
        }
    }
}

impl<T> fmt::Debug for Observer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observer(..)" } else { "Observer(none)" })
    }
}
