//! `claim` from a queue with partitions or limits: by the function `claim_in_turn`, and a statement
//! that reads what it leased.

use super::{
    CLOSED, FoldFirst,
    answer::line_due,
    requests::{deal, until},
};
use crate::{
    call::{BoundQuery, CallConnection},
    line_memory::Lines,
    row::{limit, read_record},
    verb_error::VerbError,
    verbs::kind_pause::read_pauses,
};
use queue_core::{ClaimRequest, Claimed, ClaimedJob, Moment, Pause, PausedKind, Timestamp};
use queue_store::ClaimShares;
use sqlx::{Row, postgres::PgRow};

/// Where the time stands in the answer of the function.
const STAMP_AT: usize = 2;
/// Where the columns of lines begin: how many jobs were set aside, kinds, pauses and heads.
const LINES_AT: usize = 5;
/// Where a job begins in the other answer.
const JOB_AT: usize = 2;

/// A claim leases at most so often where each of its leases was over before their jobs were read.
const ROUNDS_MAX: usize = 10;

/// Leases due jobs in turn, for as many of the requests as can share a claim. Where others have
/// moved all of the jobs before they were read, as when a short lease lapsed, it leases again: the
/// answer that nothing is due would not be true.
pub(super) async fn claim_in_turn(
    connection: &mut CallConnection<'_>,
    queue: i32,
    requests: &[ClaimRequest],
    has_folded: bool,
) -> Result<Result<Vec<Claimed>, FoldFirst>, VerbError> {
    let requests = together(requests);
    for _ in 0..ROUNDS_MAX {
        let (mut claimed, leased) = match lease_in_turn(connection, queue, requests, has_folded).await? {
            Ok(answer) => answer,
            Err(fold_first) => return Ok(Err(fold_first)),
        };
        let takers = takers(requests, claimed.now, leased.len());
        // Where the answer was cut short, those behind the last job are not begun.
        let is_cut_short = claimed.next_due.is_some_and(|at| at <= claimed.now);
        let begun = if is_cut_short { takers.last().map_or(1, |last| last + 1) } else { requests.len() };
        let mut shares = vec![0; begun];
        if leased.is_empty() {
            return Ok(Ok(deal(claimed, &shares, requests)));
        }
        for (taker, job) in read_leased(connection, queue, requests, &takers, leased).await? {
            shares[taker] += 1;
            claimed.jobs.push(job);
        }
        if !claimed.jobs.is_empty() {
            return Ok(Ok(deal(claimed, &shares, requests)));
        }
    }
    let moment = connection.now().await?;
    Ok(Ok(requests.iter().map(|_| Claimed::none(Some(moment.now), moment)).collect()))
}

/// The requests at the beginning that can share a claim: one that takes fewer jobs of partitions
/// with a limit than others goes by itself.
fn together(requests: &[ClaimRequest]) -> &[ClaimRequest] {
    let count = requests.iter().take_while(|request| request.limited_max >= request.limit).count();
    &requests[..count.max(1).min(requests.len())]
}

/// Which request each of the leased jobs goes to, as the function has leased them.
fn takers(requests: &[ClaimRequest], now: Timestamp, count: usize) -> Vec<usize> {
    let mut shares = ClaimShares::new(&requests.iter().collect::<Vec<_>>(), now);
    std::iter::repeat_with(|| shares.takes(0)).map_while(|taker| taker).take(count).collect()
}

/// Sends the claim, and answers what it says beside the jobs, and which lives it leased.
async fn lease_in_turn(
    connection: &mut CallConnection<'_>,
    queue: i32,
    requests: &[ClaimRequest],
    has_folded: bool,
) -> Result<Result<(Claimed, Vec<i64>), FoldFirst>, VerbError> {
    let handle = connection.handle;
    let (floor, origin) = (connection.time_floor(), connection.origin());
    let of_each = |number: fn(&ClaimRequest) -> i64| requests.iter().map(number).collect::<Vec<_>>();
    let limited_max = requests.iter().map(|request| request.limited_max).max();
    let bytes_max = requests.iter().map(|request| request.bytes_max).min();
    let bind = |query: BoundQuery| {
        query
            .bind(floor)
            .bind(queue)
            .bind(of_each(|request| limit(request.limit)))
            .bind(limited_max.map(limit))
            .bind(of_each(|request| request.lease.as_millis()))
            .bind(requests.iter().map(|request| request.token.as_bytes().to_vec()).collect::<Vec<_>>())
            .bind(requests.iter().map(|request| request.worker.as_str().to_owned()).collect::<Vec<_>>())
            .bind(bytes_max.map(limit))
            .bind(limit(PausedKind::SET_ASIDE_MAX))
            .bind(has_folded)
            .bind(requests.iter().map(until).collect::<Vec<_>>())
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
    let mut claimed = read_claim(row, moment, pause)?;
    let lines = read_lines(row, &mut claimed)?;
    handle.lines.saw(queue, lines, row.try_get::<Option<bool>, _>(LINES_AT + 4)?.unwrap_or_default(), true);
    Ok(Ok((claimed, row.try_get(LINES_AT + 6)?)))
}

fn read_claim(row: &PgRow, moment: Moment, pause: i64) -> Result<Claimed, VerbError> {
    let due: Option<i64> = row.try_get(0)?;
    let timeout: Option<i64> = row.try_get(LINES_AT + 5)?;
    let timeout = timeout.map(Timestamp::from_millis).filter(|at| !at.is_far(moment.now));
    let next_due = due.map(Timestamp::from_millis).into_iter().chain(timeout).min();
    let kept_back = row.try_get::<Option<bool>, _>(4)?.unwrap_or_default();
    let pause = Pause::from_millis(pause).at(moment.now);
    Ok(Claimed { pause, kept_back, ..Claimed::none(next_due, moment) })
}

/// Adds to an answer what it says of the lines of the queue.
fn read_lines(row: &PgRow, claimed: &mut Claimed) -> Result<Lines, VerbError> {
    let now = claimed.now;
    claimed.set_aside = usize::try_from(row.try_get::<i64, _>(LINES_AT)?).unwrap_or_default();
    let Some(pauses) = row.try_get::<Option<Vec<i64>>, _>(LINES_AT + 2)? else { return Ok(Lines::None) };
    let pauses = pauses.into_iter().map(|pause| Pause::from_millis(pause).at(now));
    let heads: Vec<Option<i64>> = row.try_get(LINES_AT + 3)?;
    let lines: Vec<_> = pauses.zip(heads).collect();
    let due = lines.iter().filter_map(|(pause, head)| line_due(*pause, (*head)?));
    claimed.next_due = claimed.next_due.into_iter().chain(due).min();
    claimed.paused_kinds = read_pauses(row, LINES_AT + 1, now)?.paused();
    let has_ended = lines.iter().any(|(pause, head)| !pause.is_on() && head.is_none());
    Ok(if has_ended { Lines::Ended } else { Lines::Some })
}

/// Reads what was leased, in the order of turns, and which request each job goes to. A job that
/// another call has moved since is left out: its lease is over.
async fn read_leased(
    connection: &mut CallConnection<'_>,
    queue: i32,
    requests: &[ClaimRequest],
    takers: &[usize],
    lives: Vec<i64>,
) -> Result<Vec<(usize, ClaimedJob)>, VerbError> {
    let floor = connection.time_floor();
    let claimed = &connection.handle.statements.claimed;
    let tokens: Vec<_> = takers.iter().map(|taker| requests[*taker].token.as_bytes().to_vec()).collect();
    let rows =
        connection.read(claimed, |query| query.bind(floor).bind(queue).bind(lives).bind(tokens)).await?;
    connection.note_time(&rows, 1)?;
    let mut jobs = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some(position) = row.try_get::<Option<i64>, _>(0)? else { continue };
        let place = usize::try_from(position - 1).unwrap_or(usize::MAX);
        let taker = *takers.get(place).ok_or(sqlx::Error::RowNotFound)?;
        let request = &requests[taker];
        let record = read_record(row, JOB_AT, &request.queue)?;
        connection.notices.changed(&record.meta);
        jobs.push((position, taker, ClaimedJob { record, token: request.token }));
    }
    jobs.sort_unstable_by_key(|(position, ..)| *position);
    Ok(jobs.into_iter().map(|(_, taker, job)| (taker, job)).collect())
}
