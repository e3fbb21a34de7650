//! Jobs as rows, and back. What the columns mean is said in `sql/0002_initial.sql`.

use crate::{gate::signalling, key::seq_of};
use queue_core::{
    Duty, Failure, JobId, JobMeta, Kind, LeaseInfo, LeaseToken, Partition, QueueName, Reason, SharedTerms,
    Span, State, Tags, Timestamp, WorkerId,
    lifecycle::{LastSettle, Settle, TrackedJob},
};
use rusqlite::{Row, types::Type};

const CANCEL_REQUESTED: u8 = 1;
const AWAITED: u8 = 2;
const EXPIRY_LIFTED: u8 = 4;
const HAS_ATTEMPTS: u8 = 8;
const HAS_GATE: u8 = 16;
/// Above these bits stands what the job signals at its end.
const SIGNALLING_SHIFT: u32 = 5;

/// The marks of a job as it was enqueued, which take no byte for a job without gate, partition and
/// signals.
const BORN_AWAITED: u8 = 1;
const BORN_HAS_GATE: u8 = 2;
const BORN_HAS_PARTITION: u8 = 4;
const BORN_SIGNALLING_SHIFT: u32 = 3;
/// Ends the key of a partition before the terms: names contain no control characters.
const END_OF_KEY: u8 = 0;

/// The first column of `queue_life` among the columns of a job; all of them are NULL before its
/// first change.
const LIFE: usize = 8;
/// Columns of a job without its large parts. Statements that read more have that behind them.
pub(crate) const COLUMNS: usize = 29;

/// A job as its rows have it.
#[derive(Clone, Debug)]
pub(crate) struct SqliteRecord {
    pub(crate) job: TrackedJob,
    /// Whether it has a row in `queue_life`.
    pub(crate) has_life: bool,
    /// Whether it has rows in `queue_attempt`: the removal of one that has none looks for none.
    pub(crate) has_attempts: bool,
    /// Whether it has a row in `queue_gate`, which is read apart: [`read`](Self::read) leaves the
    /// gate of the job out.
    pub(crate) has_gate: bool,
}

impl SqliteRecord {
    /// Reads the columns in the order in which every statement selects them.
    pub(crate) fn read(row: &Row<'_>, queue: &QueueName) -> rusqlite::Result<Self> {
        let marks: u16 = row.get(7)?;
        let born = TrackedJob::new(read_born(row, queue, marks)?);
        let Some(revision) = row.get::<_, Option<i64>>(LIFE)? else {
            let has_gate = has(BORN_HAS_GATE, marks);
            return Ok(Self { job: born, has_life: false, has_attempts: false, has_gate });
        };
        let flags: u16 = row.get(14)?;
        let meta = read_life(row, counter(LIFE, revision)?, flags, born.meta)?;
        let (token, last_settle) = read_token(row)?;
        let (has_attempts, has_gate) = (has(HAS_ATTEMPTS, flags), has(HAS_GATE, flags));
        Ok(Self { job: TrackedJob { meta, token, last_settle }, has_life: true, has_attempts, has_gate })
    }
}

fn has(mark: u8, marks: u16) -> bool {
    marks & u16::from(mark) != 0
}

/// The column of marks of a job that is enqueued.
pub(crate) fn born_marks(meta: &JobMeta) -> u16 {
    let marks = u8::from(meta.awaited) * BORN_AWAITED
        + u8::from(meta.gate.is_some()) * BORN_HAS_GATE
        + u8::from(meta.partition.is_some()) * BORN_HAS_PARTITION;
    u16::from(marks) | meta.signalling.as_code() << BORN_SIGNALLING_SHIFT
}

/// The column of marks of a job.
pub(crate) fn flags(stored: &SqliteRecord) -> u16 {
    let meta = &stored.job.meta;
    let flags = u8::from(meta.cancel_requested) * CANCEL_REQUESTED
        + u8::from(meta.awaited) * AWAITED
        + u8::from(meta.expiry_lifted) * EXPIRY_LIFTED
        + u8::from(stored.has_attempts) * HAS_ATTEMPTS
        + u8::from(stored.has_gate) * HAS_GATE;
    u16::from(flags) | meta.signalling.as_code() << SIGNALLING_SHIFT
}

/// The columns of `run_at`: how long after `created_at` it is. SQLite keeps small numbers in fewer
/// bytes than times, and none at all for zero. What wraps here wraps back in [`later`].
pub(crate) fn run_after(meta: &JobMeta) -> i64 {
    meta.run_at.as_millis().wrapping_sub(meta.created_at.as_millis())
}

/// The column of the last claim: how long after `run_at` it was.
pub(crate) fn claimed_after(meta: &JobMeta) -> Option<i64> {
    meta.claimed_at.map(|claimed_at| claimed_at.as_millis().wrapping_sub(meta.run_at.as_millis()))
}

fn later(time: Timestamp, after: i64) -> Timestamp {
    Timestamp::from_millis(time.as_millis().wrapping_add(after))
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

/// A record that was read in a transaction is that of its whole length.
pub(crate) fn written(is_written: bool) -> rusqlite::Result<()> {
    if is_written { Ok(()) } else { Err(foreign(0, "a record changed within a transaction")) }
}

/// A name from a column.
pub(crate) fn name<N>(row: &Row<'_>, column: usize) -> rusqlite::Result<N>
where
    N: for<'a> TryFrom<&'a str, Error = queue_core::InvalidName>,
{
    let text = row.get_ref(column)?.as_str()?;
    N::try_from(text).map_err(|invalid| foreign(column, invalid.to_string()))
}

/// A job as it was enqueued.
fn read_born(row: &Row<'_>, queue: &QueueName, marks: u16) -> rusqlite::Result<JobMeta> {
    let created_at = time(row.get(4)?);
    let (partition, terms) = partition_and_terms(row, 6, marks)?;
    Ok(JobMeta {
        queue: queue.clone(),
        id: name::<JobId>(row, 1)?,
        seq: seq_of(row.get(0)?),
        revision: 1,
        kind: name::<Kind>(row, 2)?,
        tags: tags(row)?,
        priority: row.get(3)?,
        created_at,
        run_at: later(created_at, row.get(5)?),
        state: State::Queued,
        reason: None,
        epoch: 0,
        failures: 0,
        stalls: 0,
        expires_in: span(row, 25)?,
        expiry_lifted: false,
        terms: SharedTerms::from_bytes(terms).map_err(|malformed| foreign(6, malformed.why()))?,
        lease: None,
        claimed_at: None,
        cancel_requested: false,
        awaited: has(BORN_AWAITED, marks),
        progress: None,
        last_error: None,
        failed_at: None,
        finished_at: None,
        purge_at: None,
        gate: None,
        signalling: signalling(7, marks >> BORN_SIGNALLING_SHIFT)?,
        partition,
    })
}

/// What its changes made of it since.
fn read_life(row: &Row<'_>, revision: u64, flags: u16, born: JobMeta) -> rusqlite::Result<JobMeta> {
    let run_at = later(born.created_at, row.get(10)?);
    Ok(JobMeta {
        revision,
        state: code(9, row.get(9)?, State::from_code)?,
        run_at,
        claimed_at: row.get::<_, Option<i64>>(27)?.map(|after| later(run_at, after)),
        failed_at: row.get::<_, Option<i64>>(28)?.map(time),
        epoch: counter(11, row.get(11)?)?,
        failures: row.get(12)?,
        stalls: row.get(13)?,
        cancel_requested: has(CANCEL_REQUESTED, flags),
        awaited: has(AWAITED, flags),
        expiry_lifted: has(EXPIRY_LIFTED, flags),
        signalling: signalling(14, flags >> SIGNALLING_SHIFT)?,
        lease: read_lease(row)?,
        reason: row.get::<_, Option<u8>>(19)?.map(|raw| code(19, raw, Reason::from_code)).transpose()?,
        finished_at: row.get::<_, Option<i64>>(20)?.map(time),
        purge_at: row.get::<_, Option<i64>>(21)?.map(time),
        last_error: read_failure(row)?,
        progress: row.get::<_, Option<Vec<u8>>>(24)?.map(|bytes| Box::new(bytes.into())),
        ..born
    })
}

fn read_lease(row: &Row<'_>) -> rusqlite::Result<Option<LeaseInfo>> {
    let Some(expires_at) = row.get::<_, Option<i64>>(15)? else { return Ok(None) };
    Ok(Some(LeaseInfo { worker: name::<WorkerId>(row, 16)?, expires_at: time(expires_at) }))
}

/// One column holds the token of the present lease, or of the last one with the event that settled
/// it: a claim forgets how the lease before it was settled.
fn read_token(row: &Row<'_>) -> rusqlite::Result<(Option<LeaseToken>, Option<LastSettle>)> {
    let token = row.get::<_, Option<[u8; 16]>>(17)?.map(LeaseToken::from_bytes);
    let Some(event) = row.get::<_, Option<u8>>(18)? else { return Ok((token, None)) };
    let token = token.ok_or_else(|| foreign(17, "a settle without its token"))?;
    Ok((None, Some(LastSettle { token, settle: code(18, event, Settle::from_code)? })))
}

fn read_failure(row: &Row<'_>) -> rusqlite::Result<Option<Failure>> {
    let Some(name) = row.get::<_, Option<String>>(22)? else { return Ok(None) };
    Ok(Some(Failure::new(name, row.get_ref(23)?.as_str()?)))
}

fn tags(row: &Row<'_>) -> rusqlite::Result<Tags> {
    Tags::from_text(row.get_ref(26)?.as_str_or_null()?).map_err(|invalid| foreign(26, invalid.to_string()))
}

pub(crate) fn code<T>(column: usize, raw: u8, from_code: impl Fn(u8) -> Option<T>) -> rusqlite::Result<T> {
    from_code(raw).ok_or_else(|| foreign(column, format!("{raw} is no known code")))
}

/// The duty of a worker: what an operator asked of it.
pub(crate) fn duty(row: &Row<'_>, column: usize) -> rusqlite::Result<Duty> {
    code(column, row.get(column)?, Duty::from_code)
}

/// The column of terms, behind the key of the partition; a plain job has neither.
pub(crate) fn terms_column(meta: &JobMeta) -> Option<Vec<u8>> {
    let terms = meta.terms.to_bytes();
    match &meta.partition {
        Some(partition) => Some([partition.as_str().as_bytes(), &[END_OF_KEY], &terms].concat()),
        None => Some(terms).filter(|bytes| !bytes.is_empty()),
    }
}

/// The partition of a job by two of its columns.
pub(crate) fn partition_of(row: &Row<'_>, marks: usize, terms: usize) -> rusqlite::Result<Option<Partition>> {
    Ok(partition_and_terms(row, terms, row.get(marks)?)?.0)
}

fn partition_and_terms<'r>(
    row: &'r Row<'_>,
    column: usize,
    marks: u16,
) -> rusqlite::Result<(Option<Partition>, &'r [u8])> {
    let bytes = row.get_ref(column)?.as_blob_or_null()?.unwrap_or_default();
    if !has(BORN_HAS_PARTITION, marks) {
        return Ok((None, bytes));
    }
    let end = bytes.iter().position(|byte| *byte == END_OF_KEY);
    let (key, terms) = end
        .and_then(|end| Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..])))
        .ok_or_else(|| foreign(column, "a job has lost its partition"))?;
    let partition = Partition::new(key).map_err(|invalid| foreign(column, invalid.to_string()))?;
    Ok((Some(partition), terms))
}

fn span(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Span>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Span::from_millis))
}

pub(crate) fn time(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}
