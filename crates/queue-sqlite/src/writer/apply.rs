//! The verb that settles and changes jobs.

use super::{commit::Database, session::SqliteSession, waiting::IndexPosition};
use crate::row::{SqliteRecord, written};
use queue_core::{
    AnswerRoom, Applied, EndSignal, JobMeta, Seq, Stamped,
    lifecycle::{Transition, Verdict, apply},
};
use queue_store::group_commit::Verb;

/// Compares guards and writes patches.
#[derive(Debug)]
pub(crate) struct SqliteApply(pub(crate) Vec<Transition>);

impl Verb<Database> for SqliteApply {
    type Answer = Stamped<Vec<Applied>>;

    const NAME: &'static str = "apply";

    fn weight(&self) -> usize {
        let jobs: usize = self.0.iter().map(Transition::weight).sum();
        jobs + self.0.iter().map(Transition::large_bytes).sum::<usize>() / 1024
    }

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<Self::Answer> {
        let value =
            self.0.iter().map(|transition| session.apply_one(transition)).collect::<Result<_, _>>()?;
        Ok(Stamped::at(session.moment, value))
    }
}

impl SqliteSession<'_> {
    pub(super) fn apply_one(&mut self, transition: &Transition) -> rusqlite::Result<Applied> {
        let Some(queue) = self.find_queue(&transition.queue)? else { return Ok(Applied::Missing) };
        // A job that this writer leased is settled from memory, without a read (ADR 0007).
        if let Some(meta) = self.apply_to_held(queue, transition)? {
            return Ok(Applied::Done(meta));
        }
        let Some(mut stored) = self.load(queue, transition)? else { return Ok(Applied::Missing) };
        let before = IndexPosition::of(&stored.job.meta);
        let verdict = apply(&mut stored.job, transition, self.moment.now);
        if matches!(verdict, Verdict::Written { .. } | Verdict::Removed) {
            let signals = self.signals_of(transition, &stored)?;
            written(self.carry_out(queue, &before, &mut stored, &verdict)?)?;
            self.end_step(queue, &mut stored, transition, &signals)?;
        }
        let meta = stored.job.meta;
        Ok(match verdict {
            Verdict::Written { .. } | Verdict::Removed | Verdict::Replayed => Applied::Done(meta),
            Verdict::LeaseLost => Applied::LeaseLost(meta),
            Verdict::Stale => Applied::Stale(meta),
            Verdict::Missing => Applied::Missing,
        })
    }

    /// Most transitions come from holders of leases that this handle gave, so the job is known.
    /// `None` if it is not, or has changed since, or if the guard refuses: then the row is to be
    /// asked. Its gate is read in any case, since signals leave the revision alone.
    fn apply_to_held(&mut self, queue: i64, transition: &Transition) -> rusqlite::Result<Option<JobMeta>> {
        let known =
            self.leased.take(transition.seq).filter(|stored| stored.job.meta.queue == transition.queue);
        let Some(mut stored) = known else { return Ok(None) };
        if !self.read_gate(&mut stored)? {
            return Ok(None);
        }
        let before = IndexPosition::of(&stored.job.meta);
        let verdict = apply(&mut stored.job, transition, self.moment.now);
        let signals = self.signals_of(transition, &stored)?;
        if !self.carry_out(queue, &before, &mut stored, &verdict)? {
            return Ok(None);
        }
        self.end_step(queue, &mut stored, transition, &signals)?;
        if verdict != Verdict::Removed && stored.job.meta.lease.is_some() {
            self.leased.remember(stored.clone());
        }
        Ok(Some(stored.job.meta))
    }

    /// Writes what a verdict says; false if that is nothing, or if the job is another by now.
    fn carry_out(
        &mut self,
        queue: i64,
        before: &IndexPosition,
        stored: &mut SqliteRecord,
        verdict: &Verdict,
    ) -> rusqlite::Result<bool> {
        match verdict {
            Verdict::Written { body, attempt } => self.save(queue, before, stored, body, attempt.as_deref()),
            Verdict::Removed => self.remove(queue, before, stored),
            Verdict::Replayed | Verdict::LeaseLost | Verdict::Stale | Verdict::Missing => Ok(false),
        }
    }

    /// What a transition sends. Read before its patch, which may remove the job.
    fn signals_of(
        &mut self,
        transition: &Transition,
        stored: &SqliteRecord,
    ) -> rusqlite::Result<Vec<EndSignal>> {
        if transition.signal.is_some() { self.end_signals(&stored.job.meta) } else { Ok(Vec::new()) }
    }

    /// What comes behind the patch in a step, in this order: the followers with their raises, the
    /// look at the job's own gate, its end signals.
    fn end_step(
        &mut self,
        queue: i64,
        stored: &mut SqliteRecord,
        transition: &Transition,
        signals: &[EndSignal],
    ) -> rusqlite::Result<()> {
        if !transition.then.is_empty() {
            let holder = (!stored.job.meta.state.is_terminal()).then_some(transition.seq);
            self.follow(queue, transition, holder)?;
        }
        if transition.patch.is_of_gate() || !transition.then.is_empty() {
            self.look_at_gate(queue, stored, transition)?;
        }
        match transition.signal {
            Some(signal) => self.send(queue, &transition.queue, signals, signal.outcome),
            None => Ok(()),
        }
    }

    fn follow(&mut self, queue: i64, transition: &Transition, holder: Option<Seq>) -> rusqlite::Result<()> {
        // No caller waits for their outcome.
        let mut room = AnswerRoom::new(0);
        let mut one = |new| self.enqueue_one(queue, &transition.queue, new, holder, &mut room).map(drop);
        transition.then.iter().try_for_each(&mut one)
    }
}
