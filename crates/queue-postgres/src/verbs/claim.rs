use crate::{
    fault::Fault,
    fronts::{Fronts, Look, Seen},
    row::{limit, read_claimed_body, read_waiting},
    session::{Bound, Session},
    verb::Verb,
};
use queue_core::{
    ClaimRequest, Claimed, ClaimedJob, JobRecord, Moment, Timestamp,
    lifecycle::{TrackedJob, lease},
};
use sqlx::{Row, postgres::PgRow};
use tokio::time::Instant;

/// Fewer dead rows than this make no look slow.
const DEAD_ROWS_MIN: i64 = 10_000;
/// Where the columns of a job begin in the answer.
const JOB_AT: usize = 5;
/// Where its large parts begin.
const LARGE_AT: usize = JOB_AT + 24;

/// Leases due jobs in the order of priority, due time and seq, and says when there will be more.
#[derive(Debug)]
pub(crate) struct Claim<'a>(pub(crate) &'a ClaimRequest);

impl Verb for Claim<'_> {
    type Answer = Claimed;

    const NAME: &'static str = "claim";

    async fn run(&self, session: &mut Session<'_>) -> Result<Claimed, Fault> {
        session.claim(self.0).await
    }
}

impl Session<'_> {
    pub(crate) async fn claim(&mut self, request: &ClaimRequest) -> Result<Claimed, Fault> {
        let Some(queue) = self.find_queue(&request.queue).await? else {
            let moment = self.now().await?;
            let next_due = request.is_late(moment.now).then_some(moment.now);
            return Ok(Claimed::none(next_due, moment));
        };
        let (shared, origin, reading) = (self.shared, self.origin(), self.reading());
        let look = shared.fronts.next_look(queue);
        let begun = Instant::now();
        let rows = self
            .write(&shared.statements.claim, |query| {
                bind_floors(bind_request(query.bind(reading).bind(queue), request), &look)
                    .bind(look.is_full())
                    .bind(shared.channel().map(str::to_owned))
                    .bind(origin.clone())
                    .bind(limit(request.bytes_max))
                    .bind(request.not_after.map(Timestamp::as_millis))
            })
            .await?;
        let cost = self.answered_after(begun);
        let mut claimed = self.read_claimed(&rows, request)?;
        let lapse = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(4)?;
        if !look.is_full() || !Fronts::is_dear(cost, claimed.jobs.len()) || self.is_wading().await? {
            let seen = Seen { claimed: &claimed, limit: asked_for(&claimed, request), lapse };
            shared.fronts.looked(queue, &look, &seen, cost);
        } else {
            shared.fronts.forget(queue);
        }
        if let Some(bound) = shared.fronts.bound(queue, &look, claimed.now) {
            claimed.next_due = claimed.next_due.into_iter().chain([bound]).min();
        }
        Ok(claimed)
    }

    /// Whether so many dead rows lie about that they explain a slow look; else something else is slow.
    async fn is_wading(&mut self) -> Result<bool, Fault> {
        let shared = self.shared;
        let rows = self.read(&shared.statements.dead_rows, |query| query).await?;
        let dead: Option<i64> = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(0)?;
        Ok(dead.is_some_and(|dead| dead >= DEAD_ROWS_MIN))
    }

    fn read_claimed(&mut self, rows: &[PgRow], request: &ClaimRequest) -> Result<Claimed, Fault> {
        let Moment { now, clock } = self.told(rows, 3)?;
        let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        let next_due = first.try_get::<Option<i64>, _>(0)?.map(Timestamp::from_millis);
        let next_due = if request.is_late(now) { Some(now) } else { next_due };
        let paused = first.try_get::<Option<bool>, _>(1)?.unwrap_or(false);
        let mut jobs = Vec::new();
        for row in rows.iter().filter(|row| is_job(row)) {
            let meta = read_waiting(row, JOB_AT, &request.queue)?;
            let mut job = TrackedJob::new(meta);
            lease(&mut job, request, now);
            self.notices.changed(&job.meta);
            let body = Some(read_claimed_body(row, LARGE_AT)?);
            jobs.push(ClaimedJob { record: JobRecord { meta: job.meta, body }, token: request.token });
        }
        // Here, and not by the statement: a claim is small, and the server is what several workers share.
        jobs.sort_unstable_by_key(|job| {
            let meta = &job.record.meta;
            (meta.priority, meta.run_at, meta.seq)
        });
        Ok(Claimed { jobs, next_due, paused, now, clock })
    }
}

/// How many jobs a look could have brought: what bytes left no room for is still there.
fn asked_for(claimed: &Claimed, request: &ClaimRequest) -> usize {
    let is_cut_short = claimed.next_due.is_some_and(|at| at <= claimed.now);
    if is_cut_short { claimed.jobs.len() } else { request.limit }
}

/// The one row of an answer without jobs has the time alone.
fn is_job(row: &PgRow) -> bool {
    row.try_get::<Option<i64>, _>(JOB_AT).is_ok_and(|seq| seq.is_some())
}

fn bind_request(query: Bound, request: &ClaimRequest) -> Bound {
    query
        .bind(limit(request.limit))
        .bind(request.lease.as_millis())
        .bind(request.token.as_bytes().to_vec())
        .bind(request.worker.as_str().to_owned())
}

fn bind_floors(query: Bound, look: &Look) -> Bound {
    let lanes = look.lanes();
    query
        .bind(look.all())
        .bind(lanes.iter().map(|(priority, _)| *priority).collect::<Vec<_>>())
        .bind(lanes.iter().map(|(_, key)| key.0).collect::<Vec<_>>())
        .bind(lanes.iter().map(|(_, key)| key.1).collect::<Vec<_>>())
}
