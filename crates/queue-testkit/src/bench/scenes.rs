//! Set-ups that several cases begin with.

use super::Bench;
use queue_core::ClaimedJob;

impl Bench {
    /// Enqueues one job for each state, named after it; returns the claimed one.
    pub(crate) async fn put_one_of_each(&self) -> ClaimedJob {
        self.complete(&self.put_and_claim("completed").await).await;
        self.fail_terminally(&self.put_and_claim("failed").await).await;
        self.fail(&self.put_and_claim("failing").await).await;
        self.put("cancelled").await;
        self.cancel("cancelled").await;
        let held = self.put_and_claim("processing").await;
        self.put("queued").await;
        held
    }
}
