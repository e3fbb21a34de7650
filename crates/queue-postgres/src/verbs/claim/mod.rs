//! `claim`: leases due jobs for one request or several, by `sql/claim.sql`, from a queue with lines
//! by `sql/claim_lines.sql`, and from one with partitions in turn.

mod answer;
mod in_turn;
mod requests;

use super::gates::add_end_signals;
use crate::{
    call::{BoundQuery, CallConnection, SqlVerb},
    claim_floors::{ClaimFloors, Look, LookFindings},
    row::limit,
    verb_error::VerbError,
};
use answer::{GATE_AT, read_claimed, read_gates, read_lines};
use in_turn::claim_in_turn;
use queue_core::{ClaimRequest, Claimed, PausedKind};
use requests::{bind_floors, bind_holders, bind_room, deal, late, wanted};
use sqlx::{Row, postgres::PgRow};
use tokio::time::Instant;

/// Dead rows below which they explain no slow look.
const DEAD_ROWS_MIN: i64 = 10_000;
/// Until when a queue with lines, gates or partitions is closed to `claim.sql`, and one with
/// partitions, or with gates before a fold, to `claim_lines.sql`: the number of no pause.
const CLOSED: i64 = i64::MAX;

/// Leases due jobs in the order of priority, due time and seq, and says when there will be more.
#[derive(Debug)]
pub(crate) struct PostgresClaim<'a> {
    /// Of one queue, at least one, answered as if they came one after the other. Those at the end
    /// that get no answer were not begun.
    pub(crate) requests: &'a [ClaimRequest],
    /// What came to gates of the queue was folded, as far as this handle knows.
    pub(crate) has_folded: bool,
}

/// What came to the gates of this queue is to be folded before anything is claimed of it.
#[derive(Debug)]
pub(crate) struct FoldFirst(pub(crate) i32);

impl SqlVerb for PostgresClaim<'_> {
    type Answer = Result<Vec<Claimed>, FoldFirst>;

    const NAME: &'static str = "claim";

    async fn run(
        &self,
        connection: &mut CallConnection<'_>,
    ) -> Result<Result<Vec<Claimed>, FoldFirst>, VerbError> {
        claim(connection, self).await
    }
}

async fn claim(
    connection: &mut CallConnection<'_>,
    verb: &PostgresClaim<'_>,
) -> Result<Result<Vec<Claimed>, FoldFirst>, VerbError> {
    let Some(first) = verb.requests.first() else { return Ok(Ok(Vec::new())) };
    let Some(queue) = connection.find_queue(&first.queue).await? else {
        let moment = connection.now().await?;
        let nothing = |request: &ClaimRequest| Claimed::none(late(request, moment.now), moment);
        return Ok(Ok(verb.requests.iter().map(nothing).collect()));
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
    let (mut claimed, shares) = read_claimed(connection, &rows, verb.requests)?;
    if by_lines {
        let lines = read_lines(&rows, &mut claimed)?;
        handle.lines.saw(queue, lines, read_gates(&rows, &mut claimed)?, false);
    }
    add_end_signals(connection, queue, claimed.jobs.iter_mut().map(|job| &mut job.record)).await?;
    let lapse = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(4)?;
    // A slow look from the start is remembered only if dead rows explain it: floors do not help
    // where the server is slow for another reason.
    if !look.is_full() || !ClaimFloors::is_dear(cost, claimed.jobs.len()) || is_wading(connection).await? {
        let findings = LookFindings { claimed: &claimed, limit: asked_for(&claimed, verb.requests), lapse };
        handle.floors.looked(queue, &look, &findings, cost);
    } else {
        handle.floors.forget(queue);
    }
    if let Some(bound) = handle.floors.bound(queue, &look, claimed.now) {
        claimed.next_due = claimed.next_due.into_iter().chain([bound]).min();
    }
    Ok(Ok(deal(claimed, &shares, verb.requests)))
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

/// Answers requests of a queue with partitions.
async fn claim_apart(
    connection: &mut CallConnection<'_>,
    queue: i32,
    verb: &PostgresClaim<'_>,
) -> Result<Result<Vec<Claimed>, FoldFirst>, VerbError> {
    let mut answers = claim_in_turn(connection, queue, verb.requests, verb.has_folded).await?;
    if let Ok(answers) = &mut answers {
        let jobs = answers.iter_mut().flat_map(|claimed| &mut claimed.jobs);
        add_end_signals(connection, queue, jobs.map(|job| &mut job.record)).await?;
    }
    Ok(answers)
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
    let handle = connection.handle;
    let (floor, origin) = (connection.time_floor(), connection.origin());
    let (plain, by_lines) = match verb.requests {
        [_] => (&handle.statements.claim, &handle.statements.claim_lines),
        _ => (&handle.statements.claim_shared, &handle.statements.claim_lines_shared),
    };
    let bind = |query: BoundQuery| {
        let query = bind_floors(bind_holders(query.bind(floor).bind(queue), verb.requests), look)
            .bind(look.is_full())
            .bind(handle.notify_channel().map(str::to_owned))
            .bind(origin.clone());
        bind_room(query, verb.requests)
    };
    if !handle.lines.has(queue) {
        let rows = connection.write(plain, bind).await?;
        let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
        if first.try_get::<Option<i64>, _>(1)? != Some(CLOSED) {
            return Ok(Leased::Some(rows, false));
        }
    }
    let bind = |query: BoundQuery| bind(query).bind(limit(PausedKind::SET_ASIDE_MAX)).bind(verb.has_folded);
    let rows = connection.write(by_lines, bind).await?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    if first.try_get::<Option<bool>, _>(GATE_AT + 3)?.unwrap_or_default() {
        return Ok(Leased::InTurn);
    }
    let is_closed = first.try_get::<Option<i64>, _>(1)? == Some(CLOSED);
    Ok(if is_closed { Leased::FoldFirst } else { Leased::Some(rows, true) })
}

/// Whether there are enough dead rows to explain a slow look; else something else is slow.
async fn is_wading(connection: &mut CallConnection<'_>) -> Result<bool, VerbError> {
    let handle = connection.handle;
    let rows = connection.read(&handle.statements.dead_rows, |query| query).await?;
    let dead: Option<i64> = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(0)?;
    Ok(dead.is_some_and(|dead| dead >= DEAD_ROWS_MIN))
}

/// How many jobs a look could have brought: those that the answer had no room for are still there.
fn asked_for(claimed: &Claimed, requests: &[ClaimRequest]) -> usize {
    let is_cut_short = claimed.next_due.is_some_and(|at| at <= claimed.now);
    if is_cut_short { claimed.jobs.len() } else { wanted(requests) }
}
