//! `claim`: leases due jobs, by `sql/claim.sql`.

use crate::{
    call::{BoundQuery, CallConnection, SqlVerb},
    claim_floors::{ClaimFloors, Look, LookFindings},
    row::{limit, read_claimed_body, read_waiting},
    verb_error::VerbError,
};
use queue_core::{
    ClaimRequest, Claimed, ClaimedJob, JobRecord, Moment, Pause, Timestamp,
    lifecycle::{TrackedJob, lease},
};
use sqlx::{Row, postgres::PgRow};
use tokio::time::Instant;

/// Dead rows below which they explain no slow look.
const DEAD_ROWS_MIN: i64 = 10_000;
/// Where the columns of a job begin in the answer.
const JOB_AT: usize = 5;
/// Where its large parts begin.
const LARGE_AT: usize = JOB_AT + 24;

/// Leases due jobs in the order of priority, due time and seq, and says when there will be more.
#[derive(Debug)]
pub(crate) struct PostgresClaim<'a>(pub(crate) &'a ClaimRequest);

impl SqlVerb for PostgresClaim<'_> {
    type Answer = Claimed;

    const NAME: &'static str = "claim";

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Claimed, VerbError> {
        claim(connection, self.0).await
    }
}

async fn claim(connection: &mut CallConnection<'_>, request: &ClaimRequest) -> Result<Claimed, VerbError> {
    let Some(queue) = connection.find_queue(&request.queue).await? else {
        let moment = connection.now().await?;
        let next_due = request.is_late(moment.now).then_some(moment.now);
        return Ok(Claimed::none(next_due, moment));
    };
    let handle = connection.handle;
    let origin = connection.origin();
    let floor = connection.time_floor();
    let look = handle.floors.next_look(queue);
    let begun = Instant::now();
    let rows = connection
        .write(&handle.statements.claim, |query| {
            bind_floors(bind_request(query.bind(floor).bind(queue), request), &look)
                .bind(look.is_full())
                .bind(handle.notify_channel().map(str::to_owned))
                .bind(origin.clone())
                .bind(limit(request.bytes_max))
                .bind(request.not_after.map(Timestamp::as_millis))
        })
        .await?;
    let cost = connection.answered_after(begun);
    let mut claimed = read_claimed(connection, &rows, request)?;
    let lapse = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(4)?;
    // A slow look from the start is remembered only if dead rows explain it: floors do not help
    // where the server is slow for another reason.
    if !look.is_full() || !ClaimFloors::is_dear(cost, claimed.jobs.len()) || is_wading(connection).await? {
        let findings = LookFindings { claimed: &claimed, limit: asked_for(&claimed, request), lapse };
        handle.floors.looked(queue, &look, &findings, cost);
    } else {
        handle.floors.forget(queue);
    }
    if let Some(bound) = handle.floors.bound(queue, &look, claimed.now) {
        claimed.next_due = claimed.next_due.into_iter().chain([bound]).min();
    }
    Ok(claimed)
}

/// Whether there are enough dead rows to explain a slow look; else something else is slow.
async fn is_wading(connection: &mut CallConnection<'_>) -> Result<bool, VerbError> {
    let handle = connection.handle;
    let rows = connection.read(&handle.statements.dead_rows, |query| query).await?;
    let dead: Option<i64> = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(0)?;
    Ok(dead.is_some_and(|dead| dead >= DEAD_ROWS_MIN))
}

fn read_claimed(
    connection: &mut CallConnection<'_>,
    rows: &[PgRow],
    request: &ClaimRequest,
) -> Result<Claimed, VerbError> {
    let Moment { now, clock } = connection.note_time(rows, 3)?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let next_due = first.try_get::<Option<i64>, _>(0)?.map(Timestamp::from_millis);
    let next_due = if request.is_late(now) { Some(now) } else { next_due };
    let pause = first.try_get::<Option<i64>, _>(1)?.unwrap_or_default();
    let pause = Pause::from_millis(pause).at(now);
    let mut jobs = Vec::new();
    for row in rows.iter().filter(|row| is_job(row)) {
        let meta = read_waiting(row, JOB_AT, &request.queue)?;
        let mut job = TrackedJob::new(meta);
        lease(&mut job, request, now);
        connection.notices.changed(&job.meta);
        let body = Some(read_claimed_body(row, LARGE_AT)?);
        jobs.push(ClaimedJob { record: JobRecord { meta: job.meta, body }, token: request.token });
    }
    // The jobs are sorted here rather than by the statement: a claim is small, and the server is
    // what several workers share.
    jobs.sort_unstable_by_key(|job| {
        let meta = &job.record.meta;
        (meta.priority, meta.run_at, meta.seq)
    });
    Ok(Claimed { jobs, pause, ..Claimed::none(next_due, Moment { now, clock }) })
}

/// How many jobs a look could have brought: those that the answer had no room for are still there.
fn asked_for(claimed: &Claimed, request: &ClaimRequest) -> usize {
    let is_cut_short = claimed.next_due.is_some_and(|at| at <= claimed.now);
    if is_cut_short { claimed.jobs.len() } else { request.limit }
}

/// Whether a row has a job: the one row of an answer without jobs has the time alone.
fn is_job(row: &PgRow) -> bool {
    row.try_get::<Option<i64>, _>(JOB_AT).is_ok_and(|seq| seq.is_some())
}

fn bind_request(query: BoundQuery, request: &ClaimRequest) -> BoundQuery {
    query
        .bind(limit(request.limit))
        .bind(request.lease.as_millis())
        .bind(request.token.as_bytes().to_vec())
        .bind(request.worker.as_str().to_owned())
}

fn bind_floors(query: BoundQuery, look: &Look) -> BoundQuery {
    let lanes = look.lanes();
    query
        .bind(look.all())
        .bind(lanes.iter().map(|(priority, _)| *priority).collect::<Vec<_>>())
        .bind(lanes.iter().map(|(_, key)| key.0).collect::<Vec<_>>())
        .bind(lanes.iter().map(|(_, key)| key.1).collect::<Vec<_>>())
}
