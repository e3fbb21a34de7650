//! Comparing guards and writing patches.

use super::{
    commit::{Commits, Session},
    transaction::Transaction,
};
use crate::failure::KvResult;
use queue_core::{
    AnswerRoom, Applied, Stamped,
    lifecycle::{BodyPatch, Transition, Verdict, apply},
};
use queue_store::{UnheardClaim, group_commit::Verb};

/// Applies transitions; each sees the writes of those before it.
#[derive(Debug)]
pub(crate) struct KvApply(pub(crate) Vec<Transition>);

impl Verb<Commits> for KvApply {
    type Answer = Stamped<Vec<Applied>>;

    const NAME: &'static str = "apply";

    fn weight(&self) -> usize {
        let jobs: usize = self.0.iter().map(Transition::weight).sum();
        jobs + self.0.iter().map(Transition::large_bytes).sum::<usize>() / 1024
    }

    fn run(&self, session: &mut Session<'_>) -> KvResult<Self::Answer> {
        let transaction = session.transaction();
        let value = self.0.iter().map(|sent| transaction.apply(sent)).collect::<KvResult<_>>()?;
        Ok(Stamped::at(transaction.moment, value))
    }
}

/// Gives back, uncharged, the jobs leased by a claim whose caller has left.
#[derive(Debug)]
pub(super) struct KvGiveBack(pub(super) UnheardClaim);

impl Verb<Commits> for KvGiveBack {
    type Answer = ();

    const NAME: &'static str = "claim";

    fn run(&self, session: &mut Session<'_>) -> KvResult<()> {
        let transaction = session.transaction();
        self.0.give_back(|batch| batch.iter().map(|sent| transaction.apply(sent)).collect())
    }
}

impl Transaction<'_> {
    fn apply(&mut self, sent: &Transition) -> KvResult<Applied> {
        let found = self.view().life(&sent.queue, sent.seq)?;
        let Some(mut stored) = found else { return Ok(Applied::Missing) };
        let before = stored.job.meta.clone();
        // Read before the patch, which may remove the job.
        let signals = if sent.signal.is_some() { self.view().end_signals(&before)? } else { Vec::new() };
        match apply(&mut stored.job, sent, self.now()) {
            Verdict::Written { body, attempt } => {
                if let BodyPatch::Payload(payload) = &body {
                    stored.payload_bytes = payload.bytes.len() as u64;
                }
                self.write(Some(&before), &stored)?;
                self.write_body(&stored.job.meta, body)?;
                if let Some(attempt) = attempt {
                    self.charge(&stored.job.meta, *attempt)?;
                }
            }
            Verdict::Removed => self.remove(&before)?,
            Verdict::Replayed => return Ok(Applied::Done(stored.job.meta)),
            Verdict::LeaseLost => return Ok(Applied::LeaseLost(stored.job.meta)),
            Verdict::Stale => return Ok(Applied::Stale(stored.job.meta)),
            Verdict::Missing => return Ok(Applied::Missing),
        }
        // No caller gets the answers about the followers, which may have the id that was just
        // freed.
        let mut room = AnswerRoom::new(0);
        let holder = (!stored.job.meta.state.is_terminal()).then_some(sent.seq);
        for new in &sent.then {
            self.enqueue(&sent.queue, new, holder, &mut room)?;
        }
        if sent.patch.is_of_gate() || !sent.then.is_empty() {
            self.look_at_gate(&mut stored, sent)?;
        }
        if let Some(signal) = sent.signal {
            self.send(&sent.queue, &signals, signal.outcome)?;
        }
        Ok(Applied::Done(stored.job.meta))
    }
}
