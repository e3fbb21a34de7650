//! The verbs that lease jobs, and give back leases whose caller has left.

use crate::{
    error::FsFault,
    writer::{commit::FsCommitter, session::JournalSession},
};
use queue_core::{ClaimRequest, Claimed};
use queue_store::{
    UnheardClaim,
    group_commit::{PendingCall, Verb},
};
use std::convert::Infallible;

/// Leases due jobs. A caller that leaves before its turn gets none, so that no job waits for a
/// lapse; leases of a caller that leaves later are given back.
#[derive(Debug)]
pub(crate) struct FsClaim(pub(crate) ClaimRequest);

impl Verb<FsCommitter> for FsClaim {
    type Answer = Claimed;

    const NAME: &'static str = "claim";
    const SKIPS_ABANDONED: bool = true;

    fn weight(&self) -> usize {
        self.0.limit
    }

    fn unheard(claimed: Claimed) -> Option<PendingCall<FsCommitter>> {
        UnheardClaim::of([claimed]).map(|unheard| PendingCall::unanswered(FsGiveBack(unheard)))
    }

    fn run(&self, session: &mut JournalSession) -> Result<Claimed, FsFault> {
        session.state.keeps_time |= session.moment.is_ahead();
        let mut claimed = session.state.engine.claim(&self.0, session.moment);
        for record in claimed.jobs.iter_mut().map(|job| &mut job.record) {
            if let Some(body) = &mut record.body {
                session.state.fill(session.journal.files(), &record.meta, body)?;
            }
        }
        Ok(claimed)
    }
}

/// Gives back, uncharged, the leases of a claim whose caller has left.
#[derive(Debug)]
struct FsGiveBack(UnheardClaim);

impl Verb<FsCommitter> for FsGiveBack {
    type Answer = ();

    const NAME: &'static str = "claim";

    fn run(&self, session: &mut JournalSession) -> Result<(), FsFault> {
        let now = session.moment.now;
        let engine = &mut session.state.engine;
        let given_back = self.0.give_back(|batch| Ok::<_, Infallible>(engine.apply(batch, now)));
        given_back.map_err(|never| match never {})
    }
}
