//! Reading jobs by id.

use super::Snapshot;
use crate::{
    body::{ResultParts, read_outcome, read_payload},
    key::key,
    row::{SqliteRecord, integer},
    sql,
};
use queue_core::{AnswerRoom, Detail, JobBody, JobId, JobRecord, QueueName, Stamped};

impl Snapshot<'_> {
    /// Reads jobs in the order of the ids; those past their purge time are absent.
    pub(crate) fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
        mut room: AnswerRoom,
    ) -> rusqlite::Result<Stamped<Vec<Option<JobRecord>>>> {
        let value = match self.find_queue(queue)? {
            Some(number) => {
                let one = |id| self.get_one(number, queue, id, what, &mut room);
                ids.iter().map(one).collect::<Result<_, _>>()?
            }
            None => vec![None; ids.len()],
        };
        Ok(Stamped::at(self.moment, value))
    }

    fn get_one(
        &self,
        queue: i64,
        name: &QueueName,
        id: &JobId,
        what: Detail,
        room: &mut AnswerRoom,
    ) -> rusqlite::Result<Option<JobRecord>> {
        let Some(stored) = self.job_by_id(queue, name, id)? else { return Ok(None) };
        // Once the answer is full nothing large is read any more.
        let is_wanted = what == Detail::Full && !room.is_full();
        let body = if is_wanted { Some(self.body(queue, &stored)?) } else { None };
        let body = body.filter(|body| room.takes(body.len()));
        Ok(Some(JobRecord { meta: stored.job.meta, body }))
    }

    fn body(&self, queue: i64, stored: &SqliteRecord) -> rusqlite::Result<JobBody> {
        let mut load = self.connection.prepare_cached(sql::LOAD_PAYLOAD)?;
        let payload = load.query_row([key(queue, stored.job.meta.seq)], |row| read_payload(row, 0))?;
        let seq = integer(stored.job.meta.seq.get());
        let outcome = if stored.has_life {
            self.connection.prepare_cached(sql::LOAD_OUTCOME)?.query_row([seq], |row| read_outcome(row, 0))?
        } else {
            ResultParts::default()
        };
        let end_signals = self.end_signals(&stored.job.meta)?;
        Ok(JobBody { end_signals, ..outcome.beside(payload) })
    }
}
