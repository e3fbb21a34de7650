use super::{jobs::Place, session::Session, task::Verb};
use queue_core::{
    Applied, Stamped,
    lifecycle::{Transition, Verdict, apply},
};

/// Compares guards and writes patches.
#[derive(Debug)]
pub(crate) struct Apply(pub(crate) Vec<Transition>);

impl Verb for Apply {
    type Answer = Stamped<Vec<Applied>>;

    const NAME: &'static str = "apply";

    fn weight(&self) -> usize {
        weight(&self.0)
    }

    fn run(&self, session: &mut Session<'_>) -> rusqlite::Result<Self::Answer> {
        session.apply_all(&self.0)
    }
}

/// Jobs that a batch touches at most.
pub(super) fn weight(batch: &[Transition]) -> usize {
    batch.iter().map(|transition| 1 + transition.then.len()).sum()
}

impl Session<'_> {
    pub(super) fn apply_all(&mut self, batch: &[Transition]) -> rusqlite::Result<Stamped<Vec<Applied>>> {
        let value = batch.iter().map(|transition| self.apply_one(transition)).collect::<Result<_, _>>()?;
        Ok(Stamped { now: self.now, value })
    }

    fn apply_one(&mut self, transition: &Transition) -> rusqlite::Result<Applied> {
        let Some(queue) = self.find_queue(&transition.queue)? else { return Ok(Applied::Missing) };
        let Some(mut stored) = self.load(queue, transition)? else { return Ok(Applied::Missing) };
        let before = Place::of(&stored);
        match apply(&mut stored.job, transition, self.now) {
            Verdict::Written(body) => self.save(queue, before, &mut stored, body)?,
            Verdict::Removed => self.remove(queue, &stored)?,
            Verdict::Replayed => return Ok(Applied::Done(stored.job.meta)),
            Verdict::LeaseLost => return Ok(Applied::LeaseLost(stored.job.meta)),
            Verdict::Stale => return Ok(Applied::Stale(stored.job.meta)),
            Verdict::Missing => return Ok(Applied::Missing),
        }
        for new in &transition.then {
            self.enqueue_one(queue, &transition.queue, new)?;
        }
        Ok(Applied::Done(stored.job.meta))
    }
}
