use super::{apply::weight, session::Session, task::Verb};
use queue_core::{Applied, ClaimRequest, Claimed, Stamped, lifecycle::Transition};

/// Settles and claims in one transaction: one flush for a worker's whole round.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) batch: Vec<Transition>,
    pub(crate) request: ClaimRequest,
}

impl Verb for Exchange {
    type Answer = (Stamped<Vec<Applied>>, Claimed);

    const NAME: &'static str = "exchange";

    fn weight(&self) -> usize {
        weight(&self.batch) + self.request.limit
    }

    fn run(&self, session: &mut Session<'_>) -> rusqlite::Result<Self::Answer> {
        let applied = session.apply_all(&self.batch)?;
        Ok((applied, session.claim(&self.request)?))
    }
}
