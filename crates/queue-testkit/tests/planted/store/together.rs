//! Claims merged as a store with one writer might, for the defects that show only then.

use super::{handle::PlantedStore, state::State};
use crate::defect::Defect;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{ClaimRequest, Claimed, Error, Result};
use tokio::{sync::oneshot, task::yield_now};

/// The claims that wait for the next step, and their callers.
pub(super) type Line = Mutex<Vec<(ClaimRequest, oneshot::Sender<Claimed>)>>;

impl PlantedStore {
    pub(super) fn merges_claims(&self) -> bool {
        let defects =
            [Defect::TokenOfFirst, Defect::LimitOfFirst, Defect::LeaseOfFirst, Defect::GoneShareKept];
        defects.into_iter().any(|defect| self.has(defect))
    }

    /// The caller that comes back first runs all claims that came meanwhile.
    pub(super) async fn claim_together(&self, request: ClaimRequest) -> Result<Claimed> {
        let (reply, answer) = oneshot::channel();
        self.waiting().push((request, reply));
        yield_now().await;
        let line = std::mem::take(&mut *self.waiting());
        let first = line.first().map(|(request, _)| request.clone());
        self.with("claim", |state| {
            for (request, reply) in line {
                let request = misread(state, request, first.as_ref());
                let due = state.due(&request);
                let claimed = state.lease(&request, due);
                // The jobs of a caller that has left should be given back here.
                drop(reply.send(claimed));
            }
        })?;
        answer.await.map_err(|_| Error::closed("claim"))
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<(ClaimRequest, oneshot::Sender<Claimed>)>> {
        self.line.lock()
    }
}

/// The request as it is understood with a defect.
fn misread(state: &State, request: ClaimRequest, first: Option<&ClaimRequest>) -> ClaimRequest {
    match (first, state.defect()) {
        (Some(first), Some(Defect::TokenOfFirst)) => ClaimRequest { token: first.token, ..request },
        (Some(first), Some(Defect::LimitOfFirst)) => ClaimRequest { limit: first.limit, ..request },
        (Some(first), Some(Defect::LeaseOfFirst)) => ClaimRequest { lease: first.lease, ..request },
        _ => request,
    }
}
