//! The verbs about queues and workers rather than jobs.

use super::commit::{Commits, Session};
use crate::{
    failure::KvResult,
    keys::{self, Family},
    values,
    view::STEP,
};
use queue_core::{Duty, QueueName, Span, WorkerId, WorkerInfo};
use queue_store::group_commit::Verb;

/// Stops or resumes the claims of a queue.
#[derive(Debug)]
pub(crate) struct KvSetPaused {
    pub(crate) queue: QueueName,
    pub(crate) paused: bool,
}

impl Verb<Commits> for KvSetPaused {
    type Answer = ();

    const NAME: &'static str = "set_paused";

    fn run(&self, session: &mut Session<'_>) -> KvResult<()> {
        let transaction = session.transaction();
        transaction.remember_queue(&self.queue)?;
        let key = keys::of_queue_alone(Family::Paused, &self.queue);
        if self.paused {
            transaction.put(&key, &[])?;
        } else {
            transaction.delete(&key)?;
        }
        // Workers that hold jobs ready want a hint of a pause too.
        transaction.notices.wake(&self.queue);
        Ok(())
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

/// Asks a worker to drain; answers whether it is present.
#[derive(Debug)]
pub(crate) struct KvDrainWorker(pub(crate) WorkerId);

impl Verb<Commits> for KvDrainWorker {
    type Answer = bool;

    const NAME: &'static str = "drain_worker";

    fn run(&self, session: &mut Session<'_>) -> KvResult<bool> {
        let transaction = session.transaction();
        let key = keys::worker(&self.0);
        let shown = transaction.view().get(&key)?.map(values::read_worker).transpose()?;
        let Some((worker, until)) = shown.filter(|(_, until)| *until > transaction.now()) else {
            return Ok(false);
        };
        transaction.put(&key, &values::worker(&WorkerInfo { duty: Duty::Drain, ..worker }, until))?;
        Ok(true)
    }
}
