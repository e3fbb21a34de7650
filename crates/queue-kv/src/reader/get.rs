//! Reads jobs by id.

use crate::{failure::KvResult, view::View};
use queue_core::{AnswerRoom, Detail, JobAttempts, JobId, JobRecord, QueueName, Stamped};

impl View<'_> {
    /// Reads jobs by id; once the answer is full, no further large parts are read.
    pub(crate) fn records(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
        mut room: AnswerRoom,
    ) -> KvResult<Stamped<Vec<Option<JobRecord>>>> {
        let mut records = Vec::with_capacity(ids.len());
        for id in ids {
            records.push(self.record(queue, id, what, &mut room)?);
        }
        Ok(Stamped::at(self.moment, records))
    }

    fn record(
        &self,
        queue: &QueueName,
        id: &JobId,
        what: Detail,
        room: &mut AnswerRoom,
    ) -> KvResult<Option<JobRecord>> {
        let Some(meta) = self.present(queue, id)? else { return Ok(None) };
        let body = match what {
            Detail::Full if !room.is_full() => Some(self.body(&meta)?),
            Detail::Full | Detail::Meta => None,
        };
        let body = body.filter(|body| room.takes(body.len()));
        Ok(Some(JobRecord { meta, body }))
    }

    /// Jobs with their charged attempts.
    pub(crate) fn job_attempts(
        &self,
        queue: &QueueName,
        ids: &[JobId],
    ) -> KvResult<Stamped<Vec<Option<JobAttempts>>>> {
        let with_attempts = |meta: queue_core::JobMeta| -> KvResult<_> {
            let attempts = self.attempts(queue, meta.seq)?;
            Ok(JobAttempts { meta, attempts })
        };
        let one = |id| self.present(queue, id)?.map(with_attempts).transpose();
        Ok(Stamped::at(self.moment, ids.iter().map(one).collect::<KvResult<_>>()?))
    }
}
