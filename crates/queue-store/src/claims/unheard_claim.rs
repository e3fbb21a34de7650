//! Gives back the jobs that were leased for callers that have left.

use futures_util::FutureExt;
use queue_core::{
    Applied, Claimed,
    lifecycle::{Transition, Withdrawal},
};
use std::future::ready;

/// How often a job that moved while it was given back is decided again.
const ROUNDS_MAX: usize = 4;

/// Jobs that claims leased for callers that have left: they go back uncharged, and keep their
/// places. A part for authors of stores, which know of such a caller first.
///
/// The caller that sent the claim may look for the same jobs as a
/// [`LostClaim`](queue_core::LostClaim), or extend their leases and hand them out; each changes a
/// record only as it was read, so the second of them changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnheardClaim(Vec<Withdrawal>);

impl UnheardClaim {
    /// What is to go back of these answers; nothing if they brought no jobs.
    pub fn of(claims: impl IntoIterator<Item = Claimed>) -> Option<Self> {
        let jobs = claims.into_iter().flat_map(|claimed| claimed.jobs);
        let leases: Vec<_> = jobs.filter_map(|job| Withdrawal::of(&job.record.meta)).collect();
        (!leases.is_empty()).then_some(Self(leases))
    }

    /// Gives the jobs back within a transaction of the store: `apply` answers for each transition.
    /// A job whose cancellation was requested meanwhile is decided again.
    ///
    /// # Errors
    /// The errors of `apply`.
    #[expect(clippy::missing_panics_doc, reason = "a call that answers at once waits for nothing")]
    pub fn give_back<E>(
        &self,
        mut apply: impl FnMut(Vec<Transition>) -> Result<Vec<Applied>, E>,
    ) -> Result<(), E> {
        let given_back = self.clone().give_back_by(|batch| ready(apply(batch)));
        given_back.now_or_never().expect("a call that answers at once waits for nothing")
    }

    /// The same by calls of a store. A dropped future may leave jobs leased.
    ///
    /// # Errors
    /// The errors of `apply`. A job that is not given back lapses, unless the sender of the claim
    /// looks for it.
    pub async fn give_back_by<E, F>(mut self, mut apply: impl FnMut(Vec<Transition>) -> F) -> Result<(), E>
    where
        F: Future<Output = Result<Vec<Applied>, E>>,
    {
        for _ in 0..ROUNDS_MAX {
            let answers = apply(self.transitions()).await?;
            let Some(moved) = self.moved(&answers) else { break };
            self = moved;
        }
        Ok(())
    }

    fn transitions(&self) -> Vec<Transition> {
        self.0.iter().map(|lease| lease.transition().clone()).collect()
    }

    /// The jobs that changed after they were read.
    fn moved(&self, answers: &[Applied]) -> Option<Self> {
        let moved: Vec<_> =
            self.0.iter().zip(answers).filter_map(|(lease, answer)| lease.again(answer)).collect();
        (!moved.is_empty()).then_some(Self(moved))
    }
}
