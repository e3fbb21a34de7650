//! Verbs that change jobs, queues and workers.

use crate::{
    error::FsFault,
    state::PresenceEdit,
    writer::{commit::FsCommitter, session::JournalSession},
};
use queue_core::{
    Applied, Duty, PruneRequest, QueueName, Span, Stamped, WorkerId, WorkerInfo, lifecycle::Transition,
};
use queue_store::group_commit::Verb;

/// Compares guards and writes patches.
#[derive(Debug)]
pub(crate) struct FsApply(pub(crate) Vec<Transition>);

impl Verb<FsCommitter> for FsApply {
    type Answer = Stamped<Vec<Applied>>;

    const NAME: &'static str = "apply";

    /// Jobs that the batch touches, and KiB that it brings.
    fn weight(&self) -> usize {
        let jobs: usize = self.0.iter().map(Transition::weight).sum();
        jobs + self.0.iter().map(Transition::large_bytes).sum::<usize>() / 1024
    }

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        let value = session.state.engine.apply(self.0.clone(), session.moment.now);
        Ok(Stamped::at(session.moment, value))
    }
}

/// Removes records, not too many for one record of the journal.
#[derive(Debug)]
pub(crate) struct FsPruneSome(pub(crate) PruneRequest);

impl FsPruneSome {
    /// How many records one step removes. Other calls run between the steps.
    pub(crate) const MAX: usize = 5_000;
}

impl Verb<FsCommitter> for FsPruneSome {
    /// How many it removed.
    type Answer = u64;

    const NAME: &'static str = "prune";

    fn weight(&self) -> usize {
        self.0.limit
    }

    fn run(&self, session: &mut JournalSession) -> Result<u64, FsFault> {
        Ok(session.state.engine.prune(&self.0, session.moment.now))
    }
}

/// Stops or resumes claims.
#[derive(Debug)]
pub(crate) struct FsSetPaused {
    pub(crate) queue: QueueName,
    pub(crate) paused: bool,
}

impl Verb<FsCommitter> for FsSetPaused {
    type Answer = ();

    const NAME: &'static str = "set_paused";

    fn run(&self, session: &mut JournalSession) -> Result<(), FsFault> {
        session.state.engine.raise_mark(session.moment.now);
        session.state.engine.set_paused(&self.queue, self.paused);
        Ok(())
    }
}

/// Shows a worker for a while, or hides it.
#[derive(Debug)]
pub(crate) struct FsAnnounce {
    pub(crate) worker: WorkerInfo,
    pub(crate) ttl: Span,
}

impl Verb<FsCommitter> for FsAnnounce {
    type Answer = Duty;

    const NAME: &'static str = "announce";

    fn run(&self, session: &mut JournalSession) -> Result<Duty, FsFault> {
        let now = session.moment.now;
        let duty = session.state.engine.announce(self.worker.clone(), self.ttl, now);
        session.presence.push(if self.ttl == Span::ZERO {
            PresenceEdit::Gone(self.worker.id.clone())
        } else {
            PresenceEdit::Shown(WorkerInfo { duty, ..self.worker.clone() }, now + self.ttl)
        });
        Ok(duty)
    }
}

/// Asks a worker to drain.
#[derive(Debug)]
pub(crate) struct FsDrainWorker(pub(crate) WorkerId);

impl Verb<FsCommitter> for FsDrainWorker {
    /// Whether it is there.
    type Answer = bool;

    const NAME: &'static str = "drain_worker";

    fn run(&self, session: &mut JournalSession) -> Result<bool, FsFault> {
        let shown = session.state.engine.drain_worker(&self.0, session.moment.now);
        let edit = shown.map(|(worker, until)| PresenceEdit::Shown(worker.clone(), until));
        let is_there = edit.is_some();
        session.presence.extend(edit);
        Ok(is_there)
    }
}
