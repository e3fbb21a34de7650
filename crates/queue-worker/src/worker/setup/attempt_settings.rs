//! The settings of single attempts.

use super::WorkerBuilder;
use crate::handler::Hook;
use std::time::Duration;

/// How single jobs are executed.
impl WorkerBuilder {
    /// How long a handler may run. Default: without limit. Limits that come before this one, the
    /// strongest first:
    ///
    /// 1. the limit that a [hook](Self::hook) or the handler itself sets
    ///    ([`Context::set_time_limit`](crate::Context::set_time_limit)),
    /// 2. the limit that the job was enqueued with
    ///    ([`JobTerms::time_limit`](queue_core::JobTerms::time_limit)),
    /// 3. the limit of the kind ([`Router::time_limit`](crate::Router::time_limit)).
    ///
    /// At the limit the job's cancel token fires with
    /// [`CancelReason::TimeLimit`](crate::CancelReason::TimeLimit), and after the
    /// [grace](Self::grace) the handler is dropped. That costs an attempt, as a failure named
    /// `TimeLimit`. Until then a result still counts, because the work is done. Any other answer, a
    /// snooze or a release too, becomes that failure, and keeps what it said of finality, delay and
    /// retention. Work on a [blocking thread](crate::Router::handle_blocking) cannot be dropped and
    /// is judged when it ends.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.options.time_limit = Some(limit);
        self
    }

    /// Adds a hook around every attempt, within the hooks added before. See [`Hook`].
    #[must_use]
    pub fn hook(mut self, hook: impl Hook) -> Self {
        self.options.hooks.add(hook);
        self
    }
}
