//! The verb that stores whole records of another store.

use super::{commit::Database, session::SqliteSession, waiting::IndexPosition};
use crate::{
    key::SEQ_END,
    row::{SqliteRecord, foreign, integer, written},
};
use queue_core::{
    EndSignal, Error, ImportRequest, Imported, JobMeta, Limits, Result, Stamped, State, WholeJob,
    lifecycle::TrackedJob,
};
use queue_store::group_commit::Verb;
use rusqlite::params;

/// Half of the numbers of a file are left for lives that begin after an import.
const AFTER_MAX: u64 = SEQ_END / 2;

/// Stores records as they are, each with a new number.
#[derive(Debug)]
pub(crate) struct SqliteImport(ImportRequest);

impl SqliteImport {
    /// Refuses what the store cannot take.
    pub(crate) fn checked(request: ImportRequest, limits: &Limits) -> Result<Self> {
        request.check(limits)?;
        if request.after.get() > AFTER_MAX {
            let message = format!(
                "a SQLite file numbers jobs up to {SEQ_END}, so none can go on from {}",
                request.after
            );
            return Err(Error::invalid("import", message));
        }
        Ok(Self(request))
    }
}

impl Verb<Database> for SqliteImport {
    type Answer = Stamped<Vec<Imported>>;

    const NAME: &'static str = "import";

    fn weight(&self) -> usize {
        self.0.weight()
    }

    fn run(&self, session: &mut SqliteSession<'_>) -> rusqlite::Result<Self::Answer> {
        session.raise_seq(self.0.after)?;
        let value = self.0.jobs.iter().map(|job| session.import_one(job)).collect::<rusqlite::Result<_>>()?;
        Ok(Stamped::at(session.moment, value))
    }
}

impl SqliteSession<'_> {
    fn import_one(&mut self, job: &WholeJob) -> rusqlite::Result<Imported> {
        let WholeJob { meta, body, .. } = job;
        if meta.is_purged(self.moment.now) {
            return Ok(Imported::Purged);
        }
        let queue = self.intern_queue(&meta.queue)?;
        let meta = JobMeta { seq: self.next_seq()?, ..meta.clone() };
        let signals = self.signals_here(queue, &meta, &body.end_signals)?;
        if !self.insert(queue, &meta, &body.headers, &body.payload, &signals)? {
            let taken = || foreign(2, "an id is taken by no record");
            let present = self.load_by_id(queue, &meta.queue, &meta.id)?.ok_or_else(taken)?;
            if !present.job.meta.is_purged(self.moment.now) {
                return Ok(Imported::Taken { seq: present.job.meta.seq });
            }
            written(self.remove(queue, &IndexPosition::of(&present.job.meta), &present)?)?;
            written(self.insert(queue, &meta, &body.headers, &body.payload, &signals)?)?;
        }
        let seq = meta.seq;
        if !is_as_enqueued(&meta) {
            self.import_life(queue, meta, job)?;
        }
        Ok(Imported::Stored { seq })
    }

    /// Lives have other numbers here. A signal to a job that comes later goes by the id.
    fn signals_here(
        &mut self,
        queue: i64,
        meta: &JobMeta,
        signals: &[EndSignal],
    ) -> rusqlite::Result<Vec<EndSignal>> {
        let here = |signal: &EndSignal| {
            let target = self.load_by_id(queue, &meta.queue, &signal.to)?;
            Ok(EndSignal { life: target.map(|target| target.job.meta.seq), ..signal.clone() })
        };
        signals.iter().map(here).collect()
    }

    /// Writes what happened to the job, with everything that only some jobs have.
    fn import_life(&mut self, queue: i64, meta: JobMeta, job: &WholeJob) -> rusqlite::Result<()> {
        let (seq, place) = (meta.seq, IndexPosition::of(&meta));
        let has_attempts = !job.attempts.is_empty();
        let has_gate = meta.gate.is_some();
        let mut stored = SqliteRecord { job: TrackedJob::new(meta), has_life: false, has_attempts, has_gate };
        written(self.write(queue, &place, &stored, None)?)?;
        if let Some(details) = &job.body.error_details {
            self.statements.save_details.execute(params![integer(seq.get()), &details[..]])?;
        }
        // The details of an error remove a result, so the result of a later attempt comes last.
        if let Some(result) = &job.body.result {
            stored.has_life = true;
            written(self.write(queue, &place, &stored, Some(result))?)?;
        }
        job.attempts.iter().try_for_each(|attempt| self.charge(seq, attempt))
    }
}

/// Whether the row of the enqueue says everything.
fn is_as_enqueued(meta: &JobMeta) -> bool {
    let is_changed = meta.cancel_requested || meta.expiry_lifted;
    let has_past = meta.epoch > 0 || meta.progress.is_some() || meta.last_error.is_some();
    meta.revision == 1 && meta.state == State::Queued && !is_changed && !has_past
}
