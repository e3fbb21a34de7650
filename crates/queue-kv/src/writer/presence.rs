//! The verbs about queues and workers rather than jobs.

use super::commit::{Commits, Session};
use crate::{
    failure::KvResult,
    keys::{self, Family},
    values,
    view::STEP,
};
use queue_core::{Duty, Kind, Pause, QueueName, Span, WorkerId, WorkerInfo};
use queue_store::group_commit::Verb;

/// Stops or resumes the claims of a queue, or of one kind.
#[derive(Debug)]
pub(crate) struct KvSetPaused {
    pub(crate) queue: QueueName,
    pub(crate) kind: Option<Kind>,
    pub(crate) pause: Pause,
}

impl Verb<Commits> for KvSetPaused {
    /// An error for a kind that is one too many.
    type Answer = Result<(), queue_core::Error>;

    const NAME: &'static str = "set_paused";

    fn run(&self, session: &mut Session<'_>) -> KvResult<Self::Answer> {
        let transaction = session.transaction();
        transaction.remember_queue(&self.queue)?;
        let pause = self.pause.at(transaction.now());
        if let Some(kind) = &self.kind {
            if let Err(refused) = transaction.set_kind_paused(&self.queue, kind, pause)? {
                return Ok(Err(refused));
            }
        } else {
            let marks = transaction.marks(&self.queue)?;
            transaction.write_pauses(&self.queue, pause, marks)?;
        }
        // Workers that hold jobs ready want a hint of a pause too.
        transaction.notices.wake(&self.queue);
        Ok(Ok(()))
    }
}

/// Announces a worker for a while, and answers its duty; a time of zero retires it.
#[derive(Debug)]
pub(crate) struct KvAnnounce {
    pub(crate) worker: WorkerInfo,
    pub(crate) ttl: Span,
}

impl Verb<Commits> for KvAnnounce {
    type Answer = Duty;

    const NAME: &'static str = "announce";

    fn run(&self, session: &mut Session<'_>) -> KvResult<Duty> {
        let transaction = session.transaction();
        let now = transaction.now();
        // Each announcement removes some of the expired workers, so that they do not pile up.
        for (key, value) in transaction.view().scan(&keys::family(Family::Worker), STEP)? {
            if values::read_worker(value)?.1 <= now {
                transaction.delete(&key)?;
            }
        }
        let key = keys::worker(&self.worker.id);
        let shown = transaction.view().get(&key)?.map(values::read_worker).transpose()?;
        let shown = shown.filter(|(_, until)| *until > now);
        if self.ttl == Span::ZERO {
            transaction.delete(&key)?;
            return Ok(Duty::Work);
        }
        let duty = shown.map(|(before, _)| before.duty).unwrap_or_default();
        let worker = WorkerInfo { duty, ..self.worker.clone() };
        transaction.put(&key, &values::worker(&worker, now + self.ttl))?;
        Ok(duty)
    }
}

/// Gives a worker another duty; answers its duty then, if it is present.
#[derive(Debug)]
pub(crate) struct KvSetDuty {
    pub(crate) worker: WorkerId,
    pub(crate) duty: Duty,
}

impl Verb<Commits> for KvSetDuty {
    type Answer = Option<Duty>;

    const NAME: &'static str = "set_duty";

    fn run(&self, session: &mut Session<'_>) -> KvResult<Option<Duty>> {
        let transaction = session.transaction();
        let key = keys::worker(&self.worker);
        let shown = transaction.view().get(&key)?.map(values::read_worker).transpose()?;
        let Some((worker, until)) = shown.filter(|(_, until)| *until > transaction.now()) else {
            return Ok(None);
        };
        let duty = worker.duty.then(self.duty);
        transaction.put(&key, &values::worker(&WorkerInfo { duty, ..worker }, until))?;
        Ok(Some(duty))
    }
}
