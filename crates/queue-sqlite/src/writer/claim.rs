use super::{jobs::Place, session::Session, task::Verb};
use crate::row::{StoredJob, integer};
use queue_core::{ClaimRequest, Claimed, ClaimedJob, Timestamp, lifecycle::lease};
use rusqlite::{OptionalExtension, params};

/// Scheduled jobs that one claim moves to the ready ones before it looks for its own.
const PROMOTE_MAX: usize = 10_000;

/// Leases due jobs. A caller that is gone before it ran gets none, so that they do not wait for a lapse.
#[derive(Debug)]
pub(crate) struct Claim(pub(crate) ClaimRequest);

impl Verb for Claim {
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
        let nothing = Claimed { jobs: Vec::new(), next_due: None, paused: false, now: self.now };
        let Some(queue) = self.find_queue(&request.queue)? else { return Ok(nothing) };
        let paused: bool = self.statements.load_paused.query_row([queue], |row| row.get(0))?;
        let mut jobs = Vec::new();
        if !paused && request.limit > 0 {
            self.promote_due(queue)?;
            for stored in self.ready_jobs(queue, request)? {
                jobs.push(self.lease_one(queue, stored, request)?);
            }
        }
        Ok(Claimed { jobs, next_due: self.next_due(queue)?, paused, ..nothing })
    }

    fn promote_due(&mut self, queue: i64) -> rusqlite::Result<()> {
        let bounds = params![queue, self.now.as_millis(), integer(PROMOTE_MAX as u64)];
        let moved = self.statements.promote_due.execute(bounds)?;
        if moved > 0 {
            self.counters.promoted(queue, integer(moved as u64));
        }
        Ok(())
    }

    /// All of them before the first is changed, since changing them moves them in the index being read.
    fn ready_jobs(&mut self, queue: i64, request: &ClaimRequest) -> rusqlite::Result<Vec<StoredJob>> {
        let bounds = params![queue, integer(request.limit as u64)];
        let rows =
            self.statements.ready_jobs.query_map(bounds, |row| StoredJob::read(row, &request.queue))?;
        rows.collect()
    }

    fn lease_one(
        &mut self,
        queue: i64,
        mut stored: StoredJob,
        request: &ClaimRequest,
    ) -> rusqlite::Result<ClaimedJob> {
        let before = Place::of(&stored);
        lease(&mut stored.job, request, self.now);
        self.save_lease(queue, before, &stored.job)?;
        Ok(ClaimedJob { record: self.record(stored)?, token: request.token })
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
