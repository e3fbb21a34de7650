use super::{commit::Database, session::Session, waiting::Place};
use crate::{
    outcome::{Outcome, read_outcome, read_payload},
    row::{COLUMNS, StoredJob, integer, written},
};
use queue_core::{
    AnswerRoom, ClaimRequest, Claimed, ClaimedJob, JobBody, JobRecord, QueueName, Timestamp,
    group_commit::Verb, lifecycle::lease,
};
use rusqlite::{OptionalExtension, Row, params};

/// Leases due jobs. A caller that is gone before it ran gets none, so that they do not wait for a lapse.
#[derive(Debug)]
pub(crate) struct Claim(pub(crate) ClaimRequest);

impl Verb<Database> for Claim {
    type Answer = Claimed;

    const NAME: &'static str = "claim";
    const SKIPS_ABANDONED: bool = true;

    fn weight(&self) -> usize {
        self.0.limit
    }

    fn run(&self, session: &mut Session<'_>) -> rusqlite::Result<Claimed> {
        session.claim(&self.0)
    }
}

impl Session<'_> {
    pub(super) fn claim(&mut self, request: &ClaimRequest) -> rusqlite::Result<Claimed> {
        self.keeps_time |= self.moment.is_ahead();
        let late = request.is_late(self.moment.now).then_some(self.moment.now);
        let nothing = Claimed::none(late, self.moment);
        let Some(queue) = self.find_queue(&request.queue)? else { return Ok(nothing) };
        let paused: bool = self.statements.load_paused.query_row([queue], |row| row.get(0))?;
        if late.is_some() {
            return Ok(Claimed { paused, ..nothing });
        }
        let mut jobs = Vec::new();
        if !paused && request.limit > 0 {
            self.promote_due(queue)?;
            jobs = self.lease_front(queue, request)?;
        }
        Ok(Claimed { jobs, next_due: self.next_due(queue)?, paused, ..nothing })
    }

    fn lease_front(&mut self, queue: i64, request: &ClaimRequest) -> rusqlite::Result<Vec<ClaimedJob>> {
        let found = self.ready_jobs(queue, request)?;
        if let Some((last, _)) = found.last() {
            self.leave_front(queue, Place::of(&last.job.meta))?;
        }
        found.into_iter().map(|(stored, body)| self.lease_one(queue, stored, body, request)).collect()
    }

    /// All of them before the first is changed, since changing them takes them out of the order being read. The first
    /// that the answer has no room for ends it; SQLite steps row by row, so none behind that one is read.
    fn ready_jobs(
        &mut self,
        queue: i64,
        request: &ClaimRequest,
    ) -> rusqlite::Result<Vec<(StoredJob, JobBody)>> {
        let bounds = params![queue, integer(request.limit as u64)];
        let mut rows = self.statements.ready_jobs.query(bounds)?;
        let (mut found, mut room) = (Vec::new(), AnswerRoom::new(request.bytes_max));
        while let Some(row) = rows.next()? {
            let (stored, body) = read_whole(row, &request.queue)?;
            if !room.takes(body.payload.bytes.len()) {
                break;
            }
            found.push((stored, body));
        }
        Ok(found)
    }

    fn lease_one(
        &mut self,
        queue: i64,
        mut stored: StoredJob,
        body: JobBody,
        request: &ClaimRequest,
    ) -> rusqlite::Result<ClaimedJob> {
        let before = Place::of(&stored.job.meta);
        lease(&mut stored.job, request, self.moment.now);
        written(self.save_lease(queue, before, &stored)?)?;
        self.counters.add(queue, before.state.as_code(), -1);
        self.enter(queue, &stored.job.meta)?;
        self.notices.changed(&stored.job.meta);
        self.held.remember(stored.job.clone());
        let record = JobRecord { meta: stored.job.meta, body: Some(body) };
        Ok(ClaimedJob { record, token: request.token })
    }

    /// The earliest moment at which a claim could get something: three seeks.
    fn next_due(&mut self, queue: i64) -> rusqlite::Result<Option<Timestamp>> {
        let ready =
            self.statements.first_ready.query_row(params![queue, i64::MIN], |row| row.get(1)).optional()?;
        let scheduled = self.statements.first_scheduled.query_row([queue], |row| row.get(0)).optional()?;
        let lapse = self.statements.first_lapse.query_row([queue], |row| row.get(0)).optional()?;
        Ok([ready, scheduled, lapse].into_iter().flatten().min().map(Timestamp::from_millis))
    }
}

fn read_whole(row: &Row<'_>, queue: &QueueName) -> rusqlite::Result<(StoredJob, JobBody)> {
    let stored = StoredJob::read(row, queue)?;
    let payload = read_payload(row, COLUMNS)?;
    let outcome = if stored.has_life { read_outcome(row, COLUMNS + 2)? } else { Outcome::default() };
    Ok((stored, outcome.beside(payload)))
}
