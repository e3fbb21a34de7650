use super::{commit::Database, session::Session, waiting::Place};
use crate::{
    outcome::{Outcome, read_outcome, read_payload},
    row::{COLUMNS, StoredJob, integer, written},
};
use queue_core::{
    ClaimRequest, Claimed, ClaimedJob, JobBody, JobRecord, Moment, Timestamp, group_commit::Verb,
    lifecycle::lease,
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
        let nothing = Claimed::none(None, Moment::at(self.now));
        let Some(queue) = self.find_queue(&request.queue)? else { return Ok(nothing) };
        let paused: bool = self.statements.load_paused.query_row([queue], |row| row.get(0))?;
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

    /// All of them before the first is changed, since changing them takes them out of the order being read.
    fn ready_jobs(
        &mut self,
        queue: i64,
        request: &ClaimRequest,
    ) -> rusqlite::Result<Vec<(StoredJob, JobBody)>> {
        let bounds = params![queue, integer(request.limit as u64)];
        let read = |row: &Row<'_>| {
            let stored = StoredJob::read(row, &request.queue)?;
            let payload = read_payload(row, COLUMNS)?;
            let outcome = if stored.has_life { read_outcome(row, COLUMNS + 2)? } else { Outcome::default() };
            Ok((stored, outcome.beside(payload)))
        };
        self.statements.ready_jobs.query_map(bounds, read)?.collect()
    }

    fn lease_one(
        &mut self,
        queue: i64,
        mut stored: StoredJob,
        body: JobBody,
        request: &ClaimRequest,
    ) -> rusqlite::Result<ClaimedJob> {
        let before = Place::of(&stored.job.meta);
        lease(&mut stored.job, request, self.now);
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
