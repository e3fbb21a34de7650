//! Stores whole records of another store.

use super::{
    commit::{Commits, Session},
    transaction::Transaction,
};
use crate::{
    failure::KvResult,
    keys::{self, Family},
    values,
};
use queue_core::{
    EndSignal, ImportRequest, Imported, JobMeta, QueueName, Stamped, WholeJob, lifecycle::TrackedJob,
};
use queue_store::{
    group_commit::Verb,
    stored::{self, StoredJob},
};

/// Stores records as they are, each with a new number. The request was checked before.
#[derive(Debug)]
pub(crate) struct KvImport(pub(crate) ImportRequest);

impl Verb<Commits> for KvImport {
    type Answer = Stamped<Vec<Imported>>;

    const NAME: &'static str = "import";

    fn weight(&self) -> usize {
        self.0.weight()
    }

    fn run(&self, session: &mut Session<'_>) -> KvResult<Self::Answer> {
        let transaction = session.transaction();
        transaction.raise_seq(self.0.after)?;
        let value = self.0.jobs.iter().map(|job| transaction.import(job)).collect::<KvResult<_>>()?;
        Ok(Stamped::at(transaction.moment, value))
    }
}

impl Transaction<'_> {
    fn import(&mut self, job: &WholeJob) -> KvResult<Imported> {
        let WholeJob { meta, body, attempts } = job;
        if meta.is_purged(self.now()) {
            return Ok(Imported::Purged);
        }
        let queue = &meta.queue;
        if let Some(present) = self.view().find(queue, &meta.id)?.map(|stored| stored.job.meta) {
            if !present.is_purged(self.now()) {
                return Ok(Imported::Taken { seq: present.seq });
            }
            self.remove(&present)?;
        }
        self.remember_queue(queue)?;
        let signals = self.signals_here(queue, &body.end_signals)?;
        let seq = self.next_seq()?;
        self.put_end_signals(queue, seq, &signals)?;
        let key = |family| keys::life(family, queue, seq);
        self.put(&keys::id(queue, &meta.id), &values::number(seq.get()))?;
        self.put(&key(Family::Payload), &stored::to_bytes(&body.payload))?;
        if !body.headers.is_empty() {
            self.put(&key(Family::Headers), &stored::to_bytes(&body.headers))?;
        }
        if let Some(result) = &body.result {
            self.put(&key(Family::Result), &stored::to_bytes(result))?;
        }
        if let Some(details) = &body.error_details {
            self.put(&key(Family::Details), details)?;
        }
        if !attempts.is_empty() {
            self.put(&key(Family::Attempts), &stored::to_bytes(attempts))?;
        }
        let job = TrackedJob::new(JobMeta { seq, ..meta.clone() });
        self.write(None, &StoredJob { job, payload_bytes: body.payload.bytes.len() as u64 })?;
        Ok(Imported::Stored { seq })
    }
    /// Lives have other numbers here. A signal to a job that comes later goes by the id.
    fn signals_here(&self, queue: &QueueName, signals: &[EndSignal]) -> KvResult<Vec<EndSignal>> {
        let here = |signal: &EndSignal| {
            let target = self.view().find(queue, &signal.to)?;
            Ok(EndSignal { life: target.map(|target| target.job.meta.seq), ..signal.clone() })
        };
        signals.iter().map(here).collect()
    }
}
