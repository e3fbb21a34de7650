//! The steps in which a run ends.

use super::Run;
use queue_worker::CancelReason;
use std::{convert::Infallible, future::pending, time::Duration};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// How long outcomes are sent once no handler runs any more.
const LAST_SETTLES: Duration = Duration::from_secs(5);

/// The steps of a stop, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopSteps {
    /// Claims end, and what has not started is given back.
    pub(crate) stop: CancellationToken,
    /// Handlers are asked to stop without waiting for the drain deadline.
    pub(crate) hurry: CancellationToken,
    /// Handlers are dropped.
    pub(super) abort: CancellationToken,
    /// Outcomes are given up.
    pub(super) over: CancellationToken,
}

impl Run {
    /// Waits for the stop, and takes its steps.
    pub(super) async fn take_steps(&self) -> Infallible {
        let steps = &self.steps;
        tokio::select! {
            () = steps.stop.cancelled() => {}
            () = steps.hurry.cancelled() => steps.stop.cancel(),
        }
        // A deadline that has passed changes nothing: the next step is the same.
        drop(timeout(self.plan.drain, steps.hurry.cancelled()).await);
        self.held.cancel_all(CancelReason::Shutdown);
        drop(timeout(self.plan.grace, self.handlers.none()).await);
        steps.abort.cancel();
        sleep(LAST_SETTLES).await;
        steps.over.cancel();
        pending().await
    }
}
