//! Reading and writing single records within a transaction, with their places, counters and hints
//! kept in step.

use super::{session::SqliteSession, waiting::IndexPosition};
use crate::{
    body::{ResultParts, read_outcome},
    key::key,
    row::{SqliteRecord, claimed_after, flags, integer, run_after, terms_column},
};
use queue_core::{
    Attempt, Failure, JobId, JobMeta, LeaseToken, Payload, QueueName, Reason, Seq, Timestamp,
    lifecycle::{BodyPatch, LastSettle, TrackedJob, Transition},
};
use rusqlite::{OptionalExtension, params};

impl SqliteSession<'_> {
    /// The life that a transition is about, if it is still there.
    pub(super) fn load(&mut self, queue: i64, wanted: &Transition) -> rusqlite::Result<Option<SqliteRecord>> {
        self.load_life(queue, &wanted.queue, wanted.seq, &wanted.id)
    }

    /// A life of an id, if it is still there.
    pub(super) fn load_life(
        &mut self,
        queue: i64,
        name: &QueueName,
        seq: Seq,
        id: &JobId,
    ) -> rusqlite::Result<Option<SqliteRecord>> {
        let key = params![key(queue, seq), id.as_str()];
        let found =
            self.statements.job_by_key.query_row(key, |row| SqliteRecord::read(row, name)).optional()?;
        found.map(|stored| self.with_gate(stored)).transpose()
    }

    /// The record that holds an id.
    pub(super) fn load_by_id(
        &mut self,
        queue: i64,
        name: &QueueName,
        id: &JobId,
    ) -> rusqlite::Result<Option<SqliteRecord>> {
        let key = params![queue, id.as_str()];
        let found =
            self.statements.job_by_id.query_row(key, |row| SqliteRecord::read(row, name)).optional()?;
        found.map(|stored| self.with_gate(stored)).transpose()
    }

    /// Writes a job that was changed since it stood at `before`. False, and nothing written, if it
    /// has been changed by others since, which cannot be for one that was read in this transaction.
    pub(super) fn save(
        &mut self,
        queue: i64,
        before: &IndexPosition,
        stored: &mut SqliteRecord,
        body: &BodyPatch,
        attempt: Option<&Attempt>,
    ) -> rusqlite::Result<bool> {
        stored.has_attempts |= attempt.is_some();
        stored.has_gate |= stored.job.meta.gate.is_some();
        let (result, details) = match body {
            BodyPatch::Result(result) => (Some(result), None),
            BodyPatch::ErrorDetails(details) => (None, Some(details.as_deref())),
            BodyPatch::Clear { .. } => (None, Some(None)),
            BodyPatch::Payload(_) | BodyPatch::Keep => (None, None),
        };
        if !self.write(queue, before, stored, result)? {
            return Ok(false);
        }
        stored.has_life = true;
        if before.has_another_gate_in(&stored.job.meta) {
            self.save_gate(&stored.job.meta)?;
        }
        if let Some(attempt) = attempt {
            self.charge(stored.job.meta.seq, attempt)?;
        }
        if let Some(details) = details {
            let seq = integer(stored.job.meta.seq.get());
            self.statements.save_details.execute(params![seq, details])?;
        }
        if let BodyPatch::Clear { content_type: Some(content_type) } = body {
            let key = key(queue, stored.job.meta.seq);
            self.statements.save_content_type.execute(params![key, content_type.as_str()])?;
        }
        if let BodyPatch::Payload(Payload { bytes, content_type }) = body {
            let key = key(queue, stored.job.meta.seq);
            self.statements.save_payload.execute(params![key, content_type.as_str(), &bytes[..]])?;
        }
        if before.is_amended_in(&stored.job.meta) {
            self.amend(queue, &stored.job.meta)?;
        }
        self.leave(queue, before)?;
        self.enter(queue, &stored.job.meta)?;
        self.notices.changed(&stored.job.meta);
        Ok(true)
    }

    /// Writes what an amendment changes of a job as it was enqueued.
    fn amend(&mut self, queue: i64, meta: &JobMeta) -> rusqlite::Result<()> {
        let row = params![key(queue, meta.seq), meta.priority, terms_column(meta)];
        self.statements.amend_job.execute(row).map(drop)
    }

    /// Removes a job, which stood at `before`, with everything that belongs to it. False, and
    /// nothing removed, if it has been changed by others since.
    pub(super) fn remove(
        &mut self,
        queue: i64,
        before: &IndexPosition,
        stored: &SqliteRecord,
    ) -> rusqlite::Result<bool> {
        let seq = integer(stored.job.meta.seq.get());
        // Only leased jobs are changed from memory, and these have a life, whose revision shows
        // whether another process has changed them since.
        if stored.has_life {
            let revision = integer(before.revision);
            if self.statements.delete_life.execute(params![seq, revision])? == 0 {
                return Ok(false);
            }
        }
        if stored.has_attempts {
            self.statements.delete_attempts.execute([seq])?;
        }
        self.remove_gate(stored)?;
        for tag in &stored.job.meta.tags {
            self.statements.delete_tag.execute(params![queue, tag.as_str(), seq])?;
        }
        self.statements.delete_job.execute([key(queue, stored.job.meta.seq)])?;
        self.leave(queue, before)?;
        self.notices.removed(&stored.job.meta);
        Ok(true)
    }

    /// What a job left, if anything.
    pub(super) fn outcome(&mut self, stored: &SqliteRecord) -> rusqlite::Result<ResultParts> {
        if !stored.has_life {
            return Ok(ResultParts::default());
        }
        let seq = integer(stored.job.meta.seq.get());
        self.statements.load_outcome.query_row([seq], |row| read_outcome(row, 0))
    }

    /// Writes the lease of a job that was just given one.
    pub(super) fn save_lease(
        &mut self,
        queue: i64,
        before: &IndexPosition,
        stored: &SqliteRecord,
    ) -> rusqlite::Result<bool> {
        let TrackedJob { meta, token, .. } = &stored.job;
        // Most lives are leased once, so a first lease has a statement with few columns.
        let Some(lease) = meta.lease.as_ref().filter(|_| !stored.has_life) else {
            return self.write(queue, before, stored, None);
        };
        let written = self.statements.insert_lease.execute(params![
            integer(meta.seq.get()),
            queue,
            integer(meta.revision),
            meta.state.as_code(),
            run_after(meta),
            integer(meta.epoch),
            meta.failures,
            meta.stalls,
            flags(stored),
            claimed_after(meta),
            lease.expires_at.as_millis(),
            lease.worker.as_str(),
            token.as_ref().map(LeaseToken::as_bytes),
        ])?;
        Ok(written == 1)
    }

    /// Writes a change of a job: its first, or the next one.
    pub(super) fn write(
        &mut self,
        queue: i64,
        before: &IndexPosition,
        stored: &SqliteRecord,
        result: Option<&Payload>,
    ) -> rusqlite::Result<bool> {
        let TrackedJob { meta, token, last_settle } = &stored.job;
        let settled = last_settle.as_ref();
        // The token column holds the present lease's token or that of the last settle: a claim
        // clears the latter.
        let (statement, second) = if stored.has_life {
            (&mut self.statements.save_life, integer(before.revision))
        } else {
            (&mut self.statements.insert_life, queue)
        };
        let written = statement.execute(params![
            integer(meta.seq.get()),
            second,
            integer(meta.revision),
            meta.state.as_code(),
            run_after(meta),
            integer(meta.epoch),
            meta.failures,
            meta.stalls,
            flags(stored),
            claimed_after(meta),
            meta.lease.as_ref().map(|lease| lease.expires_at.as_millis()),
            meta.lease.as_ref().map(|lease| lease.worker.as_str()),
            token.as_ref().or(settled.map(|LastSettle { token, .. }| token)).map(LeaseToken::as_bytes),
            settled.map(|LastSettle { settle, .. }| settle.as_code()),
            meta.reason.map(Reason::as_code),
            meta.finished_at.map(Timestamp::as_millis),
            meta.purge_at.map(Timestamp::as_millis),
            meta.last_error.as_ref().map(Failure::name),
            meta.last_error.as_ref().map(Failure::message),
            meta.failed_at.map(Timestamp::as_millis),
            meta.progress(),
            result.map(|result| result.content_type.as_str()),
            result.map(|result| &result.bytes[..]),
        ])?;
        Ok(written == 1)
    }
}
