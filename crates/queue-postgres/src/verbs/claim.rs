//! `claim`: leases due jobs, by `sql/claim.sql`, from a queue with lines by `sql/claim_lines.sql`,
//! and from one with partitions in turn.

use super::{claim_in_turn::claim_in_turn, gates::add_end_signals, kind_pause::read_pauses};
use crate::{
    call::{BoundQuery, CallConnection, SqlVerb},
    claim_floors::{ClaimFloors, Look, LookFindings},
    line_memory::Lines,
    row::{counter, limit, read_claimed_body, read_gate, read_waiting},
    verb_error::VerbError,
};
use queue_core::{
    ClaimRequest, Claimed, ClaimedJob, JobRecord, Moment, Pause, PausedKind, Seq, Timestamp,
    lifecycle::{TrackedJob, lease},
};
use sqlx::{Row, postgres::PgRow};
use tokio::time::Instant;

/// Dead rows below which they explain no slow look.
const DEAD_ROWS_MIN: i64 = 10_000;
/// Where the columns of a job begin in the answer.
const JOB_AT: usize = 5;
/// Where its large parts begin.
const LARGE_AT: usize = JOB_AT + 19;
/// Where the columns of lines begin: how many jobs were set aside, kinds, pauses and heads.
const LINES_AT: usize = LARGE_AT + 4;
/// Where the gate of the job stands, whether the queue has gates, the first time-out of one, and
/// whether the queue has partitions.
const GATE_AT: usize = LINES_AT + 4;
/// Until when a queue with lines, gates or partitions is closed to `claim.sql`, and one with
/// partitions, or with gates before a fold, to `claim_lines.sql`: the number of no pause.
const CLOSED: i64 = i64::MAX;

/// Leases due jobs in the order of priority, due time and seq, and says when there will be more.
#[derive(Debug)]
pub(crate) struct PostgresClaim<'a> {
    pub(crate) request: &'a ClaimRequest,
    /// What came to gates of the queue was folded, as far as this handle knows.
    pub(crate) has_folded: bool,
}

/// What came to the gates of this queue is to be folded before anything is claimed of it.
#[derive(Debug)]
pub(crate) struct FoldFirst(pub(crate) i32);

impl SqlVerb for PostgresClaim<'_> {
    type Answer = Result<Claimed, FoldFirst>;

    const NAME: &'static str = "claim";

    async fn run(
        &self,
        connection: &mut CallConnection<'_>,
    ) -> Result<Result<Claimed, FoldFirst>, VerbError> {
        claim(connection, self).await
    }
}

async fn claim(
    connection: &mut CallConnection<'_>,
    verb: &PostgresClaim<'_>,
) -> Result<Result<Claimed, FoldFirst>, VerbError> {
    let request = verb.request;
    let Some(queue) = connection.find_queue(&request.queue).await? else {
        let moment = connection.now().await?;
        let next_due = request.is_late(moment.now).then_some(moment.now);
        return Ok(Ok(Claimed::none(next_due, moment)));
    };
    let handle = connection.handle;
    if handle.lines.has_partitions(queue) {
        return claim_apart(connection, queue, verb).await;
    }
    let look = handle.floors.next_look(queue, connection.time_floor());
    let begun = Instant::now();
    let (rows, by_lines) = match lease_due(connection, queue, verb, &look).await? {
        Leased::Some(rows, by_lines) => (rows, by_lines),
        Leased::FoldFirst => return Ok(Err(FoldFirst(queue))),
        Leased::InTurn => return claim_apart(connection, queue, verb).await,
    };
    let cost = connection.answered_after(begun);
    let mut claimed = read_claimed(connection, &rows, request)?;
    if by_lines {
        let lines = read_lines(&rows, request, &mut claimed)?;
        handle.lines.saw(queue, lines, read_gates(&rows, request, &mut claimed)?, false);
    }
    add_end_signals(connection, queue, claimed.jobs.iter_mut().map(|job| &mut job.record)).await?;
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
    Ok(Ok(claimed))
}

/// What the statements for queues without partitions answered.
enum Leased {
    /// The rows, and whether the statement for lines answered them.
    Some(Vec<PgRow>, bool),
    /// What came to gates is to be folded before.
    FoldFirst,
    /// The queue has partitions, or limits.
    InTurn,
}

async fn claim_apart(
    connection: &mut CallConnection<'_>,
    queue: i32,
    verb: &PostgresClaim<'_>,
) -> Result<Result<Claimed, FoldFirst>, VerbError> {
    let mut claimed = claim_in_turn(connection, queue, verb).await?;
    if let Ok(claimed) = &mut claimed {
        add_end_signals(connection, queue, claimed.jobs.iter_mut().map(|job| &mut job.record)).await?;
    }
    Ok(claimed)
}

/// The answer of the statement that the queue needs, and whether that is the one for lines. Which
/// it is stands in the row of the queue, and `claim.sql` takes nothing if it is the other; so the
/// choice holds however long ago the queue was looked at.
async fn lease_due(
    connection: &mut CallConnection<'_>,
    queue: i32,
    verb: &PostgresClaim<'_>,
    look: &Look,
) -> Result<Leased, VerbError> {
    let request = verb.request;
    let handle = connection.handle;
    let floor = connection.time_floor();
    let origin = connection.origin();
    let bind = |query: BoundQuery| {
        bind_floors(bind_request(query.bind(floor).bind(queue), request), look)
            .bind(look.is_full())
            .bind(handle.notify_channel().map(str::to_owned))
            .bind(origin.clone())
            .bind(limit(request.bytes_max))
            .bind(request.not_after.map(Timestamp::as_millis))
    };
    if !handle.lines.has(queue) {
        let rows = connection.write(&handle.statements.claim, bind).await?;
        let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        if first.try_get::<Option<i64>, _>(1)? != Some(CLOSED) {
            return Ok(Leased::Some(rows, false));
        }
    }
    let bind = |query: BoundQuery| bind(query).bind(limit(PausedKind::SET_ASIDE_MAX)).bind(verb.has_folded);
    let rows = connection.write(&handle.statements.claim_lines, bind).await?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    if first.try_get::<Option<bool>, _>(GATE_AT + 3)?.unwrap_or_default() {
        return Ok(Leased::InTurn);
    }
    let is_closed = first.try_get::<Option<i64>, _>(1)? == Some(CLOSED);
    Ok(if is_closed { Leased::FoldFirst } else { Leased::Some(rows, true) })
}

/// Adds to an answer what one of its rows says of the lines of the queue.
fn read_lines(rows: &[PgRow], request: &ClaimRequest, claimed: &mut Claimed) -> Result<Lines, VerbError> {
    let now = claimed.now;
    let mut seen = Lines::None;
    for row in rows {
        let Some(pauses) = row.try_get::<Option<Vec<i64>>, _>(LINES_AT + 2)? else { continue };
        let pauses = pauses.into_iter().map(|pause| Pause::from_millis(pause).at(now));
        let heads: Vec<Option<i64>> = row.try_get(LINES_AT + 3)?;
        let lines: Vec<_> = pauses.zip(heads).collect();
        let has_ended = lines.iter().any(|(pause, head)| !pause.is_on() && head.is_none());
        seen = if has_ended { Lines::Ended } else { Lines::Some };
        if !request.is_late(now) {
            let due = lines.iter().filter_map(|(pause, head)| line_due(*pause, (*head)?));
            claimed.next_due = claimed.next_due.into_iter().chain(due).min();
        }
        claimed.set_aside = usize::try_from(row.try_get::<i64, _>(LINES_AT)?).unwrap_or_default();
        claimed.paused_kinds = read_pauses(row, LINES_AT + 1, now)?.paused();
    }
    Ok(seen)
}

/// Adds to an answer the gates of the jobs, and the first time-out of one. Answers whether the
/// queue has gates.
fn read_gates(rows: &[PgRow], request: &ClaimRequest, claimed: &mut Claimed) -> Result<bool, VerbError> {
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let timeout = first.try_get::<Option<i64>, _>(GATE_AT + 2)?.map(Timestamp::from_millis);
    let timeout = timeout.filter(|at| !at.is_far(claimed.now) && !request.is_late(claimed.now));
    claimed.next_due = claimed.next_due.into_iter().chain(timeout).min();
    for row in rows.iter().filter(|row| is_job(row)) {
        if let Some(gate) = read_gate(row, GATE_AT)? {
            let seq = Seq::new(counter(row, JOB_AT)?);
            let job = claimed.jobs.iter_mut().find(|job| job.record.meta.seq == seq);
            if let Some(job) = job {
                job.record.meta.gate = Some(gate);
            }
        }
    }
    Ok(first.try_get::<Option<bool>, _>(GATE_AT + 1)?.unwrap_or(false))
}

/// When a claim can get a job of a line whose first job was due at `head`.
pub(super) fn line_due(pause: Pause, head: i64) -> Option<Timestamp> {
    match pause {
        Pause::Off => Some(Timestamp::from_millis(head)),
        Pause::Until(end) => Some(end),
        Pause::UntilResumed => None,
    }
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
