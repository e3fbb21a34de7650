//! Jobs as rows, and back. What the columns mean is said in `sql/0001_initial.sql`.

use queue_core::{
    Budget, Failure, JobId, JobMeta, Kind, LeaseInfo, LeaseToken, QueueName, Reason, Retention,
    RetentionPolicy, Seq, State, Timestamp, WorkerId,
    lifecycle::{LastSettle, Settle, TrackedJob},
};
use rusqlite::{Row, types::Type};

const CANCEL_REQUESTED: u8 = 1;
const AWAITED: u8 = 2;
const HAS_OUTCOME: u8 = 4;

/// Which index a job stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Waiting, and due when it was written.
    Ready = 0,
    /// Waiting for its time.
    Scheduled = 1,
    /// Processing.
    Leased = 2,
    /// Terminal.
    Finished = 3,
}

/// A job as its row in `queue_job` has it.
#[derive(Debug)]
pub(crate) struct StoredJob {
    pub(crate) job: TrackedJob,
    /// Where it stands, which may lag behind the clock for scheduled jobs.
    pub(crate) lane: Lane,
    /// Whether it has a row in `queue_outcome`, so that none is looked for in vain.
    pub(crate) has_outcome: bool,
}

impl Lane {
    /// Where a job belongs.
    pub(crate) fn of(meta: &JobMeta, now: Timestamp) -> Self {
        match meta.state {
            State::Queued | State::Failing if meta.run_at <= now => Self::Ready,
            State::Queued | State::Failing => Self::Scheduled,
            State::Processing => Self::Leased,
            State::Completed | State::Failed | State::Cancelled => Self::Finished,
        }
    }

    /// The number in the column.
    pub(crate) const fn as_code(self) -> u8 {
        self as u8
    }

    fn from_code(code: u8) -> Option<Self> {
        [Self::Ready, Self::Scheduled, Self::Leased, Self::Finished].get(usize::from(code)).copied()
    }
}

impl StoredJob {
    /// The column of marks.
    pub(crate) fn flags(&self) -> u8 {
        flags(&self.job.meta, self.has_outcome)
    }

    /// Reads the columns in the order in which every statement selects them.
    pub(crate) fn read(row: &Row<'_>, queue: &QueueName) -> rusqlite::Result<Self> {
        let flags: u8 = row.get(14)?;
        let lane = code(3, row.get(3)?, Lane::from_code)?;
        let job = TrackedJob {
            meta: read_meta(row, queue, flags)?,
            token: row.get::<_, Option<[u8; 16]>>(19)?.map(LeaseToken::from_bytes),
            last_settle: read_last_settle(row)?,
        };
        Ok(Self { job, lane, has_outcome: flags & HAS_OUTCOME != 0 })
    }
}

/// The column of marks of a job.
pub(crate) fn flags(meta: &JobMeta, has_outcome: bool) -> u8 {
    u8::from(meta.cancel_requested) * CANCEL_REQUESTED
        + u8::from(meta.awaited) * AWAITED
        + u8::from(has_outcome) * HAS_OUTCOME
}

/// Numbers are counted up from zero by this library, so they fit.
pub(crate) fn integer(value: u64) -> i64 {
    i64::try_from(value).expect("a counter stays below 2^63")
}

/// The number of a column that only grows from zero.
pub(crate) fn counter(column: usize, value: i64) -> rusqlite::Result<u64> {
    u64::try_from(value).map_err(|_| foreign(column, format!("{value} is negative")))
}

/// A value that this library would not have written.
pub(crate) fn foreign(column: usize, what: impl Into<String>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Null, what.into().into())
}

/// A name from a column.
pub(crate) fn name<N>(row: &Row<'_>, column: usize) -> rusqlite::Result<N>
where
    N: for<'a> TryFrom<&'a str, Error = queue_core::InvalidName>,
{
    let text = row.get_ref(column)?.as_str()?;
    N::try_from(text).map_err(|invalid| foreign(column, invalid.to_string()))
}

fn read_meta(row: &Row<'_>, queue: &QueueName, flags: u8) -> rusqlite::Result<JobMeta> {
    Ok(JobMeta {
        queue: queue.clone(),
        id: name::<JobId>(row, 1)?,
        seq: Seq::new(counter(0, row.get(0)?)?),
        revision: counter(5, row.get(5)?)?,
        kind: name::<Kind>(row, 2)?,
        priority: row.get(6)?,
        created_at: time(row.get(7)?),
        run_at: time(row.get(8)?),
        state: code(4, row.get(4)?, State::from_code)?,
        reason: row.get::<_, Option<u8>>(22)?.map(|raw| code(22, raw, Reason::from_code)).transpose()?,
        epoch: counter(9, row.get(9)?)?,
        failures: row.get(10)?,
        stalls: row.get(11)?,
        max_attempts: Budget::from_raw(row.get(12)?),
        max_stalls: Budget::from_raw(row.get(13)?),
        lease: read_lease(row)?,
        cancel_requested: flags & CANCEL_REQUESTED != 0,
        awaited: flags & AWAITED != 0,
        progress: row.get::<_, Option<Vec<u8>>>(27)?.map(Into::into),
        last_error: read_failure(row)?,
        retention: RetentionPolicy {
            completed: retention(15, row.get(15)?)?,
            failed: retention(16, row.get(16)?)?,
        },
        finished_at: row.get::<_, Option<i64>>(23)?.map(time),
        purge_at: row.get::<_, Option<i64>>(24)?.map(time),
    })
}

fn read_lease(row: &Row<'_>) -> rusqlite::Result<Option<LeaseInfo>> {
    let Some(expires_at) = row.get::<_, Option<i64>>(17)? else { return Ok(None) };
    Ok(Some(LeaseInfo { worker: name::<WorkerId>(row, 18)?, expires_at: time(expires_at) }))
}

fn read_last_settle(row: &Row<'_>) -> rusqlite::Result<Option<LastSettle>> {
    let Some(token) = row.get::<_, Option<[u8; 16]>>(20)? else { return Ok(None) };
    let settle = code(21, row.get(21)?, Settle::from_code)?;
    Ok(Some(LastSettle { token: LeaseToken::from_bytes(token), settle }))
}

fn read_failure(row: &Row<'_>) -> rusqlite::Result<Option<Failure>> {
    let Some(name) = row.get::<_, Option<String>>(25)? else { return Ok(None) };
    Ok(Some(Failure::new(name, row.get_ref(26)?.as_str()?)))
}

fn retention(column: usize, raw: i64) -> rusqlite::Result<Retention> {
    Retention::from_raw(raw).ok_or_else(|| foreign(column, format!("{raw} is no retention")))
}

fn code<T>(column: usize, raw: u8, from_code: impl Fn(u8) -> Option<T>) -> rusqlite::Result<T> {
    from_code(raw).ok_or_else(|| foreign(column, format!("{raw} is no known code")))
}

fn time(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}
