//! Reading and writing single records within a transaction, with counters and hints kept in step.

use super::session::Session;
use crate::{
    outcome::{Outcome, read_outcome, read_payload},
    row::{Lane, StoredJob, flags, foreign, integer},
};
use queue_core::{
    JobBody, JobId, JobMeta, JobRecord, Payload, QueueName,
    lifecycle::{BodyPatch, LastSettle, TrackedJob, Transition},
};
use rusqlite::{OptionalExtension, params};

impl Session<'_> {
    /// The life that a transition is about, if it is still there.
    pub(super) fn load(&mut self, queue: i64, wanted: &Transition) -> rusqlite::Result<Option<StoredJob>> {
        let key = params![integer(wanted.seq.get()), queue, wanted.id.as_str()];
        self.statements.job_by_seq.query_row(key, |row| StoredJob::read(row, &wanted.queue)).optional()
    }

    /// The record that holds an id.
    pub(super) fn load_by_id(
        &mut self,
        queue: i64,
        name: &QueueName,
        id: &JobId,
    ) -> rusqlite::Result<Option<StoredJob>> {
        let key = params![queue, id.as_str()];
        self.statements.job_by_id.query_row(key, |row| StoredJob::read(row, name)).optional()
    }

    /// Begins a life, unless its id is taken; the answer says whether it did.
    pub(super) fn insert(&mut self, queue: i64, meta: &JobMeta, payload: &Payload) -> rusqlite::Result<bool> {
        let lane = Lane::of(meta, self.now);
        let inserted = self.statements.insert_job.execute(params![
            integer(meta.seq.get()),
            queue,
            meta.id.as_str(),
            meta.kind.as_str(),
            lane.as_code(),
            meta.state.as_code(),
            integer(meta.revision),
            meta.priority,
            meta.created_at.as_millis(),
            meta.run_at.as_millis(),
            integer(meta.epoch),
            meta.failures,
            meta.stalls,
            meta.max_attempts.as_raw(),
            meta.max_stalls.as_raw(),
            flags(meta, false),
            meta.retention.completed.as_raw(),
            meta.retention.failed.as_raw(),
        ])?;
        if inserted == 0 {
            return Ok(false);
        }
        let body = params![integer(meta.seq.get()), payload.content_type.as_str(), &payload.bytes[..]];
        self.statements.insert_body.execute(body)?;
        self.take_seq(meta.seq);
        self.counters.enter(queue, meta.state, lane);
        self.hints.changed(meta);
        Ok(true)
    }

    /// Writes a job that was changed after `before` was loaded, with what the change does to its outcome.
    pub(super) fn save(
        &mut self,
        queue: i64,
        before: Place,
        stored: &mut StoredJob,
        body: BodyPatch,
    ) -> rusqlite::Result<()> {
        self.patch_outcome(stored, body)?;
        stored.lane = Lane::of(&stored.job.meta, self.now);
        self.write(stored)?;
        self.counters.leave(queue, before.state, before.lane);
        self.counters.enter(queue, stored.job.meta.state, stored.lane);
        self.hints.changed(&stored.job.meta);
        Ok(())
    }

    /// Removes a job with everything that belongs to it.
    pub(super) fn remove(&mut self, queue: i64, stored: &StoredJob) -> rusqlite::Result<()> {
        let seq = integer(stored.job.meta.seq.get());
        self.statements.delete_job.execute([seq])?;
        self.statements.delete_body.execute([seq])?;
        if stored.has_outcome {
            self.statements.delete_outcome.execute([seq])?;
        }
        self.counters.leave(queue, stored.job.meta.state, stored.lane);
        self.hints.removed(&stored.job.meta);
        Ok(())
    }

    /// What a job left, if anything.
    pub(super) fn outcome(&mut self, stored: &StoredJob) -> rusqlite::Result<Outcome> {
        if !stored.has_outcome {
            return Ok(Outcome::default());
        }
        let seq = integer(stored.job.meta.seq.get());
        self.statements.load_outcome.query_row([seq], read_outcome)
    }

    /// The job with its large parts.
    pub(super) fn record(&mut self, stored: StoredJob) -> rusqlite::Result<JobRecord> {
        let seq = integer(stored.job.meta.seq.get());
        let payload = self.statements.load_body.query_row([seq], read_payload)?;
        let outcome = self.outcome(&stored)?;
        let body = JobBody { payload, result: outcome.result, error_details: outcome.error_details };
        Ok(JobRecord { meta: stored.job.meta, body: Some(body) })
    }

    /// Writes a lease that was just given.
    pub(super) fn save_lease(&mut self, queue: i64, before: Place, job: &TrackedJob) -> rusqlite::Result<()> {
        let (meta, lane) = (&job.meta, Lane::of(&job.meta, self.now));
        let lease = meta.lease.as_ref().ok_or_else(|| foreign(0, "a claim gave no lease"))?;
        self.statements.save_lease.execute(params![
            integer(meta.seq.get()),
            lane.as_code(),
            meta.state.as_code(),
            integer(meta.revision),
            integer(meta.epoch),
            lease.expires_at.as_millis(),
            lease.worker.as_str(),
            job.token.as_ref().map(queue_core::LeaseToken::as_bytes),
        ])?;
        self.counters.leave(queue, before.state, before.lane);
        self.counters.enter(queue, meta.state, lane);
        self.hints.changed(meta);
        Ok(())
    }

    fn patch_outcome(&mut self, stored: &mut StoredJob, body: BodyPatch) -> rusqlite::Result<()> {
        let seq = integer(stored.job.meta.seq.get());
        match body {
            BodyPatch::Result(result) => {
                let row = params![seq, result.content_type.as_str(), &result.bytes[..]];
                self.statements.save_result.execute(row)?;
                stored.has_outcome = true;
            }
            BodyPatch::ErrorDetails(Some(details)) => {
                self.statements.save_details.execute(params![seq, &details[..]])?;
                stored.has_outcome = true;
            }
            // A job that fails has no result, so details are all that its outcome could hold.
            BodyPatch::ErrorDetails(None) | BodyPatch::Clear if stored.has_outcome => {
                self.statements.delete_outcome.execute([seq])?;
                stored.has_outcome = false;
            }
            BodyPatch::ErrorDetails(None) | BodyPatch::Clear | BodyPatch::Keep => {}
        }
        Ok(())
    }

    fn write(&mut self, stored: &StoredJob) -> rusqlite::Result<()> {
        let TrackedJob { meta, token, last_settle } = &stored.job;
        self.statements.save_job.execute(params![
            integer(meta.seq.get()),
            stored.lane.as_code(),
            meta.state.as_code(),
            integer(meta.revision),
            meta.run_at.as_millis(),
            integer(meta.epoch),
            meta.failures,
            meta.stalls,
            stored.flags(),
            meta.lease.as_ref().map(|lease| lease.expires_at.as_millis()),
            meta.lease.as_ref().map(|lease| lease.worker.as_str()),
            token.as_ref().map(queue_core::LeaseToken::as_bytes),
            last_settle.as_ref().map(|LastSettle { token, .. }| token.as_bytes()),
            last_settle.map(|LastSettle { settle, .. }| settle.as_code()),
            meta.reason.map(queue_core::Reason::as_code),
            meta.finished_at.map(queue_core::Timestamp::as_millis),
            meta.purge_at.map(queue_core::Timestamp::as_millis),
            meta.last_error.as_ref().map(queue_core::Failure::name),
            meta.last_error.as_ref().map(queue_core::Failure::message),
            meta.progress.as_deref(),
        ])?;
        Ok(())
    }
}

/// Where a job stood before it was changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    state: queue_core::State,
    lane: Lane,
}

impl Place {
    pub(super) fn of(stored: &StoredJob) -> Self {
        Self { state: stored.job.meta.state, lane: stored.lane }
    }
}
