//! `claim` from a queue with partitions or limits: by the function `claim_in_turn`, and a statement
//! that reads what it leased.

use super::kind_pause::read_pauses;
use crate::{
    call::{BoundQuery, CallConnection},
    line_memory::Lines,
    row::{limit, read_record},
    verb_error::VerbError,
    verbs::claim::{FoldFirst, PostgresClaim, line_due},
};
use queue_core::{ClaimRequest, Claimed, ClaimedJob, Moment, Pause, PausedKind, Timestamp};
use sqlx::{Row, postgres::PgRow};

/// Where the time stands in the answer of the function.
const STAMP_AT: usize = 2;
/// Where the columns of lines begin: how many jobs were set aside, kinds, pauses and heads.
const LINES_AT: usize = 5;
/// Where a job begins in the other answer.
const JOB_AT: usize = 2;
/// The pause of a queue whose gates are to be folded first.
const CLOSED: i64 = i64::MAX;

/// A claim leases at most so often where each of its leases was over before their jobs were read.
const ROUNDS_MAX: usize = 10;

/// Leases due jobs in turn. Where others have moved all of them before they were read, as when a
/// short lease lapsed, it leases again: the answer that nothing is due would not be true.
pub(super) async fn claim_in_turn(
    connection: &mut CallConnection<'_>,
    queue: i32,
    verb: &PostgresClaim<'_>,
) -> Result<Result<Claimed, FoldFirst>, VerbError> {
    for _ in 0..ROUNDS_MAX {
        let (mut claimed, leased) = match lease_in_turn(connection, queue, verb).await? {
            Ok(answer) => answer,
            Err(fold_first) => return Ok(Err(fold_first)),
        };
        if leased.is_empty() {
            return Ok(Ok(claimed));
        }
        claimed.jobs = read_leased(connection, queue, verb.request, leased).await?;
        if !claimed.jobs.is_empty() {
            return Ok(Ok(claimed));
        }
    }
    let moment = connection.now().await?;
    Ok(Ok(Claimed::none(Some(moment.now), moment)))
}

/// Sends the claim, and answers what it says beside the jobs, and which lives it leased.
async fn lease_in_turn(
    connection: &mut CallConnection<'_>,
    queue: i32,
    verb: &PostgresClaim<'_>,
) -> Result<Result<(Claimed, Vec<i64>), FoldFirst>, VerbError> {
    let request = verb.request;
    let handle = connection.handle;
    let (floor, origin) = (connection.time_floor(), connection.origin());
    let bind = |query: BoundQuery| {
        query
            .bind(floor)
            .bind(queue)
            .bind(limit(request.limit))
            .bind(limit(request.limited_max))
            .bind(request.lease.as_millis())
            .bind(request.token.as_bytes().to_vec())
            .bind(request.worker.as_str().to_owned())
            .bind(limit(request.bytes_max))
            .bind(limit(PausedKind::SET_ASIDE_MAX))
            .bind(verb.has_folded)
            .bind(request.not_after.map(Timestamp::as_millis))
            .bind(handle.notify_channel().map(str::to_owned))
            .bind(origin.clone())
    };
    let rows = connection.write(&handle.statements.claim_in_turn, bind).await?;
    let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let moment = connection.note_time(&rows, STAMP_AT)?;
    let pause = row.try_get::<Option<i64>, _>(1)?.unwrap_or_default();
    if pause == CLOSED {
        return Ok(Err(FoldFirst(queue)));
    }
    let mut claimed = read_claim(row, request, moment, pause)?;
    let lines = read_lines(row, request, &mut claimed)?;
    handle.lines.saw(queue, lines, row.try_get::<Option<bool>, _>(LINES_AT + 4)?.unwrap_or_default(), true);
    Ok(Ok((claimed, row.try_get(LINES_AT + 6)?)))
}

fn read_claim(row: &PgRow, request: &ClaimRequest, moment: Moment, pause: i64) -> Result<Claimed, VerbError> {
    let due: Option<i64> = row.try_get(0)?;
    let timeout: Option<i64> = row.try_get(LINES_AT + 5)?;
    let timeout = timeout.map(Timestamp::from_millis).filter(|at| !at.is_far(moment.now));
    let due = due.map(Timestamp::from_millis).into_iter().chain(timeout).min();
    let next_due = if request.is_late(moment.now) { Some(moment.now) } else { due };
    let kept_back = row.try_get::<Option<bool>, _>(4)?.unwrap_or_default();
    let pause = Pause::from_millis(pause).at(moment.now);
    Ok(Claimed { pause, kept_back, ..Claimed::none(next_due, moment) })
}

/// Adds to an answer what it says of the lines of the queue.
fn read_lines(row: &PgRow, request: &ClaimRequest, claimed: &mut Claimed) -> Result<Lines, VerbError> {
    let now = claimed.now;
    claimed.set_aside = usize::try_from(row.try_get::<i64, _>(LINES_AT)?).unwrap_or_default();
    let Some(pauses) = row.try_get::<Option<Vec<i64>>, _>(LINES_AT + 2)? else { return Ok(Lines::None) };
    let pauses = pauses.into_iter().map(|pause| Pause::from_millis(pause).at(now));
    let heads: Vec<Option<i64>> = row.try_get(LINES_AT + 3)?;
    let lines: Vec<_> = pauses.zip(heads).collect();
    if !request.is_late(now) {
        let due = lines.iter().filter_map(|(pause, head)| line_due(*pause, (*head)?));
        claimed.next_due = claimed.next_due.into_iter().chain(due).min();
    }
    claimed.paused_kinds = read_pauses(row, LINES_AT + 1, now)?.paused();
    let has_ended = lines.iter().any(|(pause, head)| !pause.is_on() && head.is_none());
    Ok(if has_ended { Lines::Ended } else { Lines::Some })
}

/// Reads what was leased, in the order of turns. A job that another call has moved since is
/// left out: its lease is over.
async fn read_leased(
    connection: &mut CallConnection<'_>,
    queue: i32,
    request: &ClaimRequest,
    lives: Vec<i64>,
) -> Result<Vec<ClaimedJob>, VerbError> {
    let floor = connection.time_floor();
    let claimed = &connection.handle.statements.claimed;
    let token = request.token.as_bytes().to_vec();
    let rows =
        connection.read(claimed, |query| query.bind(floor).bind(queue).bind(lives).bind(token)).await?;
    connection.note_time(&rows, 1)?;
    let mut jobs = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some(position) = row.try_get::<Option<i64>, _>(0)? else { continue };
        let record = read_record(row, JOB_AT, &request.queue)?;
        connection.notices.changed(&record.meta);
        jobs.push((position, ClaimedJob { record, token: request.token }));
    }
    jobs.sort_unstable_by_key(|(position, _)| *position);
    Ok(jobs.into_iter().map(|(_, job)| job).collect())
}
