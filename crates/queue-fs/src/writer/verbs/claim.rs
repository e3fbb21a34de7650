use crate::{
    error::Fault,
    writer::{commit::Files, session::Session},
};
use queue_core::{ClaimRequest, Claimed, group_commit::Verb};

/// Leases due jobs. A caller that is gone before it ran gets none, so that they do not wait for a lapse.
#[derive(Debug)]
pub(crate) struct Claim(pub(crate) ClaimRequest);

impl Verb<Files> for Claim {
    type Answer = Claimed;

    const NAME: &'static str = "claim";
    const SKIPS_ABANDONED: bool = true;

    fn weight(&self) -> usize {
        self.0.limit
    }

    fn run(&self, session: &mut Session) -> Result<Claimed, Fault> {
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
