//! The checked settings of a worker.

use super::Prefetch;
use crate::worker::attempt::HookStack;
use queue_core::{Span, lifecycle::Policy};
use std::time::Duration;

/// The checked settings of a worker. The builder documents each.
#[derive(Clone, Debug)]
pub(in crate::worker) struct WorkerOptions {
    pub(in crate::worker) concurrency: usize,
    pub(in crate::worker) prefetch: Prefetch,
    pub(in crate::worker) lease: Span,
    pub(in crate::worker) poll_interval: Duration,
    pub(in crate::worker) rescue_interval: Duration,
    pub(in crate::worker) prune_interval: Duration,
    pub(in crate::worker) settle_batch_max: usize,
    pub(in crate::worker) drain: Duration,
    pub(in crate::worker) grace: Duration,
    pub(in crate::worker) time_limit: Option<Duration>,
    pub(in crate::worker) hooks: HookStack,
    pub(in crate::worker) policy: Policy,
    pub(in crate::worker) series: bool,
    pub(in crate::worker) until: EndCondition,
}

/// When a worker ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worker) enum EndCondition {
    /// When it is stopped.
    Stopped,
    /// As soon as nothing is due.
    Idle,
    /// As soon as the queue has no unfinished job.
    Empty,
}

impl Default for WorkerOptions {
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
            hooks: HookStack::default(),
            policy: Policy::default(),
            series: true,
            until: EndCondition::Stopped,
        }
    }
}
