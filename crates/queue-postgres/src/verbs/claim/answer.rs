//! What `claim.sql` and `claim_lines.sql` answered, as the jobs of all requests together.

use crate::{
    call::CallConnection,
    line_memory::Lines,
    row::{counter, read_claimed_body, read_gate, read_waiting},
    verb_error::VerbError,
    verbs::kind_pause::read_pauses,
};
use queue_core::{
    ClaimRequest, Claimed, ClaimedJob, JobRecord, Moment, Pause, Seq, Timestamp,
    lifecycle::{TrackedJob, lease},
};
use sqlx::{Row, postgres::PgRow};

/// Where the columns of a job begin in the answer.
const JOB_AT: usize = 5;
/// Where its large parts begin.
const LARGE_AT: usize = JOB_AT + 19;
/// Where the columns of lines begin: how many jobs were set aside, kinds, pauses and heads.
const LINES_AT: usize = LARGE_AT + 4;
/// Where the gate of the job stands, whether the queue has gates, the first time-out of one, and
/// whether the queue has partitions.
pub(super) const GATE_AT: usize = LINES_AT + 4;

/// What an answer has for all requests together, in the order of claims, and how many of its jobs
/// each request gets, as far as it was begun.
pub(super) fn read_claimed(
    connection: &mut CallConnection<'_>,
    rows: &[PgRow],
    requests: &[ClaimRequest],
) -> Result<(Claimed, Vec<usize>), VerbError> {
    let Moment { now, clock } = connection.note_time(rows, 3)?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let next_due = first.try_get::<Option<i64>, _>(0)?.map(Timestamp::from_millis);
    let pause = first.try_get::<Option<i64>, _>(1)?.unwrap_or_default();
    let pause = Pause::from_millis(pause).at(now);
    let begun = if requests.len() == 1 { None } else { first.try_get::<Option<i64>, _>("cut")? };
    let begun = begun.and_then(|cut| usize::try_from(cut).ok()).unwrap_or(requests.len());
    let mut shares = vec![0; begun];
    let mut jobs = Vec::new();
    for row in rows.iter().filter(|row| is_job(row)) {
        let asker = if requests.len() == 1 { 1 } else { row.try_get::<i64, _>("asker")? };
        let asker = usize::try_from(asker - 1).unwrap_or(usize::MAX);
        let (Some(request), Some(share)) = (requests.get(asker), shares.get_mut(asker)) else {
            return Err(sqlx::Error::RowNotFound.into());
        };
        let meta = read_waiting(row, JOB_AT, &request.queue)?;
        let mut job = TrackedJob::new(meta);
        lease(&mut job, request, now);
        *share += 1;
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
    Ok((Claimed { jobs, pause, ..Claimed::none(next_due, Moment { now, clock }) }, shares))
}

/// Whether a row has a job: the one row of an answer without jobs has the time alone.
fn is_job(row: &PgRow) -> bool {
    row.try_get::<Option<i64>, _>(JOB_AT).is_ok_and(|seq| seq.is_some())
}

/// Adds to an answer what one of its rows says of the lines of the queue.
pub(super) fn read_lines(rows: &[PgRow], claimed: &mut Claimed) -> Result<Lines, VerbError> {
    let now = claimed.now;
    let mut seen = Lines::None;
    for row in rows {
        let Some(pauses) = row.try_get::<Option<Vec<i64>>, _>(LINES_AT + 2)? else { continue };
        let pauses = pauses.into_iter().map(|pause| Pause::from_millis(pause).at(now));
        let heads: Vec<Option<i64>> = row.try_get(LINES_AT + 3)?;
        let lines: Vec<_> = pauses.zip(heads).collect();
        let has_ended = lines.iter().any(|(pause, head)| !pause.is_on() && head.is_none());
        seen = if has_ended { Lines::Ended } else { Lines::Some };
        let due = lines.iter().filter_map(|(pause, head)| line_due(*pause, (*head)?));
        claimed.next_due = claimed.next_due.into_iter().chain(due).min();
        claimed.set_aside = usize::try_from(row.try_get::<i64, _>(LINES_AT)?).unwrap_or_default();
        claimed.paused_kinds = read_pauses(row, LINES_AT + 1, now)?.paused();
    }
    Ok(seen)
}

/// Adds to an answer the gates of the jobs, and the first time-out of one. Answers whether the
/// queue has gates.
pub(super) fn read_gates(rows: &[PgRow], claimed: &mut Claimed) -> Result<bool, VerbError> {
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let timeout = first.try_get::<Option<i64>, _>(GATE_AT + 2)?.map(Timestamp::from_millis);
    let timeout = timeout.filter(|at| !at.is_far(claimed.now));
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
