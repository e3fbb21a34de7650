use super::Apply;
use crate::{
    fault::Fault,
    session::{Scope, Session},
    verb::Verb,
};
use queue_core::{Applied, ClaimRequest, Claimed, Stamped};

/// Settles and claims in one transaction: one flush for a worker's whole round.
#[derive(Debug)]
pub(crate) struct Exchange<'a> {
    pub(crate) apply: Apply<'a>,
    pub(crate) request: &'a ClaimRequest,
}

impl Verb for Exchange<'_> {
    type Answer = (Stamped<Vec<Applied>>, Claimed);

    const NAME: &'static str = "exchange";

    fn scope(&self) -> Scope {
        Scope::Together
    }

    async fn prepare(&self, session: &mut Session<'_>) -> Result<(), Fault> {
        self.apply.prepare(session).await
    }

    async fn run(&self, session: &mut Session<'_>) -> Result<Self::Answer, Fault> {
        let applied = self.apply.run(session).await?;
        Ok((applied, session.claim(self.request).await?))
    }
}
