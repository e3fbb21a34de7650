//! Verbs that change jobs, queues and workers.

use crate::{
    error::FsFault,
    state::PresenceEdit,
    writer::{
        commit::{FsCommitter, TransactionKind},
        session::JournalSession,
    },
};
use queue_core::{
    Applied, Duty, ImportRequest, Imported, Kind, Pause, PruneRequest, QueueName, Span, Stamped, WorkerId,
    WorkerInfo, lifecycle::Transition,
};
use queue_memory::LimitChanges;
use queue_store::group_commit::{Turn, Verb};

/// Compares guards and writes patches.
#[derive(Debug)]
pub(crate) struct FsApply(pub(crate) Vec<Transition>);

impl Verb<FsCommitter> for FsApply {
    type Answer = Stamped<Vec<Applied>>;

    const NAME: &'static str = "apply";
    const TURN: Turn = Turn::First;

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

/// Stores whole records of another store.
#[derive(Debug)]
pub(crate) struct FsImport(pub(crate) ImportRequest);

impl Verb<FsCommitter> for FsImport {
    type Answer = Stamped<Vec<Imported>>;

    const NAME: &'static str = "import";
    const NEED: TransactionKind = TransactionKind::Grow;

    fn weight(&self) -> usize {
        self.0.weight()
    }

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        let value = session.state.engine.import(self.0.clone(), session.moment.now);
        // The head of the record has the number that lives go on from, whether one begins or not.
        session.state.keeps_time = true;
        Ok(Stamped::at(session.moment, value))
    }
}

/// Stops or resumes claims of a queue, or of one kind.
#[derive(Debug)]
pub(crate) struct FsSetPaused {
    pub(crate) queue: QueueName,
    pub(crate) kind: Option<Kind>,
    pub(crate) pause: Pause,
}

impl Verb<FsCommitter> for FsSetPaused {
    /// An error for a kind that is one too many.
    type Answer = Result<(), queue_core::Error>;

    const NAME: &'static str = "set_paused";

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        let now = session.moment.now;
        let engine = &mut session.state.engine;
        engine.raise_mark(now);
        Ok(engine.set_paused(&self.queue, self.kind.as_ref(), self.pause, now))
    }
}

/// Sets limits of a queue, or takes them away.
#[derive(Debug)]
pub(crate) struct FsSetLimits {
    pub(crate) queue: QueueName,
    pub(crate) limits: LimitChanges,
}

impl Verb<FsCommitter> for FsSetLimits {
    /// An error for a limit that cannot be.
    type Answer = Result<(), queue_core::Error>;

    const NAME: &'static str = "set_limits";

    fn weight(&self) -> usize {
        self.limits.len()
    }

    fn run(&self, session: &mut JournalSession) -> Result<Self::Answer, FsFault> {
        let engine = &mut session.state.engine;
        engine.raise_mark(session.moment.now);
        Ok(engine.set_limits(&self.queue, self.limits.clone()))
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

/// Gives a worker another duty.
#[derive(Debug)]
pub(crate) struct FsSetDuty {
    pub(crate) worker: WorkerId,
    pub(crate) duty: Duty,
}

impl Verb<FsCommitter> for FsSetDuty {
    /// Its duty then, if it is there.
    type Answer = Option<Duty>;

    const NAME: &'static str = "set_duty";

    fn run(&self, session: &mut JournalSession) -> Result<Option<Duty>, FsFault> {
        let shown = session.state.engine.set_duty(&self.worker, self.duty, session.moment.now);
        let Some((worker, until)) = shown else { return Ok(None) };
        let duty = worker.duty;
        session.presence.push(PresenceEdit::Shown(worker.clone(), until));
        Ok(Some(duty))
    }
}
