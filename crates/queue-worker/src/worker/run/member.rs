//! A worker as a member of a `Group`.

use super::Worker;
use crate::runtime::{BoxError, Member};
use async_trait::async_trait;
use std::pin::pin;
use tokio_util::sync::CancellationToken;

/// A worker fails as a member only when its store is closed for good. Give the group a stop
/// deadline that is longer than the worker's drain deadline and grace together. A worker that is
/// dropped at the deadline drops its handlers, and gives their jobs back while the runtime lives.
#[async_trait]
impl Member for Worker {
    async fn run(self: Box<Self>, stop: CancellationToken) -> Result<(), BoxError> {
        let own_stop = self.stop_token();
        let mut run = pin!((*self).run());
        let report = tokio::select! {
            biased;
            report = &mut run => report,
            () = stop.cancelled() => {
                own_stop.cancel();
                run.await
            }
        };
        tracing::info!(?report, "the worker ended");
        report.error.map_or(Ok(()), |error| Err(error.into()))
    }
}
