use super::Worker;
use crate::runtime::{BoxError, Member};
use async_trait::async_trait;
use std::pin::pin;
use tokio_util::sync::CancellationToken;

/// A worker never fails as a member. Give the group a stop deadline beyond the worker's drain deadline and grace: when
/// it is dropped instead, its parts end at once and its jobs wait for their leases to lapse.
#[async_trait]
impl Member for Worker {
    async fn run(self: Box<Self>, stop: CancellationToken) -> Result<(), BoxError> {
        let signals = self.shared.signals.clone();
        let all = [&signals.stop, &signals.abort, &signals.cut_off, &signals.idle];
        let _ended_when_dropped = all.map(|signal| signal.clone().drop_guard());
        let mut run = pin!((*self).run());
        let report = tokio::select! {
            biased;
            report = &mut run => report,
            () = stop.cancelled() => {
                signals.stop.cancel();
                run.await
            }
        };
        tracing::info!(?report, "the worker ended");
        Ok(())
    }
}
