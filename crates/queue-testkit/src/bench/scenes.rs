//! Set-ups that several cases begin with.

use super::Bench;
use queue_core::ClaimedJob;

/// Set-ups that several cases begin with.
impl Bench {
    /// One job in each state, named after it; answers the one that is held.
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
