use super::{hooks::Hooks, prefetch::Prefetch};
use queue_core::{Span, lifecycle::Policy};
use std::time::Duration;

/// The validated settings of a worker; the builder documents each.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) concurrency: usize,
    pub(crate) prefetch: Prefetch,
    pub(crate) lease: Span,
    pub(crate) poll_interval: Duration,
    pub(crate) rescue_interval: Duration,
    pub(crate) prune_interval: Duration,
    pub(crate) settle_batch_max: usize,
    pub(crate) drain: Duration,
    pub(crate) grace: Duration,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) hooks: Hooks,
    pub(crate) policy: Policy,
    pub(crate) until: Until,
}

/// When a worker ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// When told to.
    Stopped,
    /// As soon as nothing is due.
    Idle,
    /// As soon as the queue has no unfinished job.
    Empty,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            concurrency: 64,
            prefetch: Prefetch::ByHandlerTime,
            lease: Span::from_secs(30),
            poll_interval: Duration::from_secs(5),
            rescue_interval: Duration::from_secs(5),
            prune_interval: Duration::from_secs(30),
            settle_batch_max: 1000,
            drain: Duration::from_secs(30),
            grace: Duration::from_secs(5),
            time_limit: None,
            hooks: Hooks::default(),
            policy: Policy::default(),
            until: Until::Stopped,
        }
    }
}
