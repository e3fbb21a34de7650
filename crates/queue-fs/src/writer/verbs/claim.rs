use super::change::{run_apply, weigh};
use crate::{
    error::Fault,
    writer::{
        session::Session,
        task::{Need, Verb},
    },
};
use queue_core::{Applied, ClaimRequest, Claimed, Stamped, lifecycle::Transition};

/// Leases due jobs. A caller that is gone before it ran gets none, so that they do not wait for a lapse.
#[derive(Debug)]
pub(crate) struct Claim(pub(crate) ClaimRequest);

impl Verb for Claim {
    type Answer = Claimed;

    const NAME: &'static str = "claim";
    const NEED: Need = Need::Change;
    const SKIPS_ABANDONED: bool = true;

    fn weight(&self) -> usize {
        self.0.limit
    }

    fn run(&self, session: &mut Session) -> Result<Claimed, Fault> {
        run_claim(session, &self.0)
    }
}

/// Settles and claims in one record: one flush for a worker's whole round.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) batch: Vec<Transition>,
    pub(crate) request: ClaimRequest,
}

impl Verb for Exchange {
    type Answer = (Stamped<Vec<Applied>>, Claimed);

    const NAME: &'static str = "exchange";
    const NEED: Need = Need::Change;

    fn weight(&self) -> usize {
        weigh(&self.batch).saturating_add(self.request.limit)
    }

    fn run(&self, session: &mut Session) -> Result<Self::Answer, Fault> {
        let applied = run_apply(session, &self.batch);
        Ok((applied, run_claim(session, &self.request)?))
    }
}

fn run_claim(session: &mut Session, request: &ClaimRequest) -> Result<Claimed, Fault> {
    let mut claimed = session.state.engine.claim(request, session.reading);
    for record in claimed.jobs.iter_mut().map(|job| &mut job.record) {
        if let Some(body) = &mut record.body {
            session.state.fill(session.journal.files(), &record.meta, body)?;
        }
    }
    Ok(claimed)
}
