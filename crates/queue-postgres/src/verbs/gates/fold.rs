//! Folds: what came to gates is counted in their rows, and those that are complete open.

use crate::{
    call::{BoundQuery, CallConnection, CommitScope, SqlVerb},
    row::{count, integer, limit, read_folded_gate, read_job},
    verb_error::VerbError,
};
use queue_core::{
    JobMeta, QueueName, Seq, Tally,
    lifecycle::{Slips, fold},
};
use sqlx::{Row, postgres::PgRow};
use std::collections::BTreeSet;

/// Gates that one fold looks at.
const GATES_MAX: usize = 1_000;
/// Slips of a gate that one fold takes.
const SLIPS_MAX: usize = 4_096;
/// Jobs whose time-outs one fold ends.
const TIMEOUTS_MAX: usize = 1_000;
/// Where the columns of a job begin among its slips, and behind them the sums of these.
const JOB_AT: usize = 2;
const SLIPS_AT: usize = JOB_AT + crate::row::META_COLUMNS;

/// Whether there is anything to fold in a queue.
#[derive(Debug)]
pub(crate) struct PostgresLookAtGates(pub(crate) i32);

/// Folds what came to gates of a queue: of these, or of any and the time-outs too.
#[derive(Debug)]
pub(crate) struct PostgresFoldGates<'a> {
    pub(crate) queue: i32,
    pub(crate) name: &'a QueueName,
    pub(crate) targets: Option<Vec<i64>>,
}

/// What a fold did.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    /// The jobs whose gates it opened, as they are since.
    pub(crate) opened: Vec<JobMeta>,
    /// Others held a gate or its job, so it was left.
    pub(crate) is_held: bool,
    /// It took as much as one fold may, and left more.
    pub(crate) has_more: bool,
}

impl SqlVerb for PostgresLookAtGates {
    type Answer = bool;

    const NAME: &'static str = "claim";
    const WRITES: bool = false;

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<bool, VerbError> {
        let floor = connection.time_floor();
        let look = &connection.handle.statements.look_at_gates;
        let rows = connection.read(look, |query| query.bind(floor).bind(self.0)).await?;
        connection.note_time(&rows, 0)?;
        Ok(rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(1)?)
    }
}

impl SqlVerb for PostgresFoldGates<'_> {
    type Answer = Folded;

    const NAME: &'static str = "claim";

    fn scope(&self) -> CommitScope {
        CommitScope::Transaction
    }

    async fn run(&self, connection: &mut CallConnection<'_>) -> Result<Folded, VerbError> {
        let mut folded = Folded::default();
        let targets = self.lock(connection, &mut folded).await?;
        if !targets.is_empty() {
            self.fold(connection, targets, &mut folded).await?;
        }
        if self.targets.is_none() {
            self.end_timeouts(connection, &mut folded).await?;
        }
        Ok(folded)
    }
}

impl PostgresFoldGates<'_> {
    /// Locks gates and the rows of their jobs that wait. Answers which, with whether the row of the
    /// job is locked.
    async fn lock(
        &self,
        connection: &mut CallConnection<'_>,
        folded: &mut Folded,
    ) -> Result<Vec<(i64, bool)>, VerbError> {
        let floor = connection.time_floor();
        let lock = &connection.handle.statements.lock_gates;
        let bind = |query: BoundQuery| {
            query.bind(floor).bind(self.queue).bind(limit(GATES_MAX)).bind(self.targets.clone())
        };
        let rows = connection.write(lock, bind).await?;
        connection.note_time(&rows, 0)?;
        folded.has_more = rows.len() == GATES_MAX;
        let mut targets = Vec::new();
        for row in &rows {
            let Some(target) = row.try_get::<Option<i64>, _>(1)? else { continue };
            let is = |at: usize| row.try_get::<bool, _>(at);
            let (has_gate, is_gate_locked, waits, is_job_locked) = (is(2)?, is(3)?, is(4)?, is(5)?);
            if !has_gate || (is_gate_locked && waits == is_job_locked) {
                targets.push((target, is_job_locked));
            } else {
                folded.is_held = true;
            }
        }
        Ok(targets)
    }

    /// Counts slips of gates that are locked. Their rows and slips are of a snapshot from after the
    /// locks.
    async fn fold(
        &self,
        connection: &mut CallConnection<'_>,
        targets: Vec<(i64, bool)>,
        folded: &mut Folded,
    ) -> Result<(), VerbError> {
        let floor = connection.time_floor();
        let read = &connection.handle.statements.read_slips;
        let lives: Vec<i64> = targets.iter().map(|(target, _)| *target).collect();
        let bind =
            |query: BoundQuery| query.bind(floor).bind(self.queue).bind(lives.clone()).bind(limit(SLIPS_MAX));
        let rows = connection.read(read, bind).await?;
        let now = connection.note_time(&rows, 1)?.now;
        let mut writes = Writes::default();
        for row in &rows {
            let at = usize::try_from(row.try_get::<i64, _>(0)? - 1).unwrap_or(usize::MAX);
            let (target, is_job_locked) = targets.get(at).copied().ok_or(sqlx::Error::RowNotFound)?;
            let (slips, has_more) = read_slips(row)?;
            let job = row.try_get::<Option<i64>, _>(JOB_AT)?;
            let Some(mut job) = job.map(|_| read_job(row, JOB_AT, self.name)).transpose()? else {
                writes.take(row)?;
                continue;
            };
            // It began to wait after the locks were taken, so another call may hold it.
            if job.meta.state.is_waiting() && !is_job_locked {
                folded.is_held = true;
                continue;
            }
            job.meta.gate = read_folded_gate(row, JOB_AT + 28)?;
            writes.take(row)?;
            let is_open = fold(&mut job.meta, &slips, !has_more, now);
            folded.has_more |= has_more;
            if has_more && (slips.wakes || slips.seen.is_some()) {
                writes.kept.push((target, slips));
            }
            if is_open {
                writes.opened.insert(job.meta.seq);
                connection.notices.changed(&job.meta);
                connection.notices.wake(self.name);
                folded.opened.push(job.meta.clone());
            }
            writes.gates.push(job.meta);
        }
        self.write(connection, &writes).await?;
        if !folded.opened.is_empty() {
            connection.handle.floors.forget(self.queue);
        }
        Ok(())
    }

    async fn write(&self, connection: &mut CallConnection<'_>, writes: &Writes) -> Result<(), VerbError> {
        let handle = connection.handle;
        let origin = connection.origin();
        let gates: Vec<_> =
            writes.gates.iter().filter_map(|job| Some((job.seq, *job.gate.clone()?))).collect();
        let opened: Vec<&JobMeta> =
            writes.gates.iter().filter(|job| writes.opened.contains(&job.seq)).collect();
        let bind = |query: BoundQuery| {
            query
                .bind(self.queue)
                .bind(writes.places.clone())
                .bind(gates.iter().map(|(seq, _)| integer(seq.get())).collect::<Vec<_>>())
                .bind(gates.iter().map(|(_, gate)| count(gate.needs)).collect::<Vec<_>>())
                .bind(gates.iter().map(|(_, gate)| count(gate.signals)).collect::<Vec<_>>())
                .bind(gates.iter().map(|(_, gate)| count(gate.tally.completed)).collect::<Vec<_>>())
                .bind(gates.iter().map(|(_, gate)| count(gate.tally.failed)).collect::<Vec<_>>())
                .bind(gates.iter().map(|(_, gate)| count(gate.tally.cancelled)).collect::<Vec<_>>())
                .bind(opened.iter().map(|job| integer(job.seq.get())).collect::<Vec<_>>())
                .bind(opened.iter().map(|job| job.run_at.as_millis()).collect::<Vec<_>>())
                .bind(writes.kept.iter().map(|(target, _)| *target).collect::<Vec<_>>())
                .bind(writes.kept.iter().map(|(_, slips)| slips.wakes).collect::<Vec<_>>())
                .bind(writes.kept.iter().map(|(_, slips)| slips.seen.map(count)).collect::<Vec<_>>())
                .bind(handle.notify_channel().map(str::to_owned))
                .bind(origin.clone())
        };
        connection.write(&handle.statements.fold_gates, bind).await.map(drop)
    }

    async fn end_timeouts(
        &self,
        connection: &mut CallConnection<'_>,
        folded: &mut Folded,
    ) -> Result<(), VerbError> {
        let floor = connection.time_floor();
        let end = &connection.handle.statements.end_timeouts;
        let bind = |query: BoundQuery| query.bind(floor).bind(self.queue).bind(limit(TIMEOUTS_MAX));
        let rows = connection.write(end, bind).await?;
        connection.note_time(&rows, 0)?;
        let moved: i64 = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(1)?;
        if moved > 0 {
            connection.handle.floors.forget(self.queue);
        }
        folded.has_more |= moved == limit(TIMEOUTS_MAX);
        Ok(())
    }
}

/// What a fold writes.
#[derive(Debug, Default)]
struct Writes {
    /// Where the slips are that it took.
    places: Vec<String>,
    gates: Vec<JobMeta>,
    opened: BTreeSet<Seq>,
    /// What has to be kept for the fold that takes the rest.
    kept: Vec<(i64, Slips)>,
}

impl Writes {
    fn take(&mut self, row: &PgRow) -> sqlx::Result<()> {
        self.places.extend(row.try_get::<Vec<String>, _>(SLIPS_AT + 6)?);
        Ok(())
    }
}

/// The sums of slips, and whether there are more.
fn read_slips(row: &PgRow) -> sqlx::Result<(Slips, bool)> {
    let sum = |nth: usize| row.try_get::<i64, _>(SLIPS_AT + nth).map(i64::cast_unsigned);
    let slips = Slips {
        raises: sum(0)?,
        tally: Tally { completed: sum(1)?, failed: sum(2)?, cancelled: sum(3)? },
        wakes: row.try_get(SLIPS_AT + 4)?,
        seen: row.try_get::<Option<i64>, _>(SLIPS_AT + 5)?.map(i64::cast_unsigned),
    };
    Ok((slips, row.try_get(SLIPS_AT + 7)?))
}
