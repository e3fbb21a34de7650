//! Jobs as rows, and back. What the columns mean is said in `sql/0002_initial.sql`.

mod gate;

pub(crate) use gate::{
    OWES_SIGNALS, count, gate_flags, read_folded_gate, read_gate, read_signal, signal_bits,
};

use bytes::Bytes;
use gate::{imported_gate_flags, signalling};
use queue_core::{
    ContentType, Failure, Headers, InvalidName, JobBody, JobId, JobMeta, JobRecord, Kind, LeaseInfo,
    LeaseToken, Moment, Partition, Payload, QueueName, Reason, Seq, SharedTerms, Signalling, Span, State,
    Tags, Timestamp, WholeJob, WorkerId,
    lifecycle::{Flags, LastSettle, Settle, TrackedJob},
};
use sqlx::{Decode, Postgres, Row, Type, postgres::PgRow};

/// How many columns a job has without its large parts.
pub(crate) const META_COLUMNS: usize = 30;

const CANCEL_REQUESTED: i16 = 1;
const AWAITED: i16 = 2;
const EXPIRY_LIFTED: i16 = 4;
const HAS_ATTEMPTS: i16 = 8;

/// A value that this library would not have written.
#[derive(Debug)]
struct ForeignValue(String);

impl std::fmt::Display for ForeignValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ForeignValue {}

/// The error of a row that cannot be what this library wrote.
pub(crate) fn foreign(what: impl Into<String>) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(ForeignValue(what.into())))
}

/// The column of marks.
pub(crate) fn flags(flags: Flags) -> i16 {
    i16::from(flags.cancel_requested) * CANCEL_REQUESTED + i16::from(flags.awaited) * AWAITED
}

/// The column of marks of a record of another store.
pub(crate) fn imported_flags(job: &WholeJob) -> i16 {
    flags(Flags::of(&job.meta))
        + i16::from(job.meta.expiry_lifted) * EXPIRY_LIFTED
        + i16::from(!job.attempts.is_empty()) * HAS_ATTEMPTS
        + imported_gate_flags(job)
}

/// A number as PostgreSQL takes it. This library counts its numbers up from zero, so they fit.
pub(crate) fn integer(value: u64) -> i64 {
    i64::try_from(value).expect("a counter stays below 2^63")
}

/// A limit as PostgreSQL takes it.
pub(crate) fn limit(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Store time and the clock behind it, which is the caller's own where the server does not tell
/// one.
pub(crate) fn moment(row: &PgRow, column: usize, clock: Option<Timestamp>) -> sqlx::Result<Moment> {
    let stamp: Vec<Option<i64>> = row.try_get(column)?;
    let part = |at: usize| stamp.get(at).copied().flatten().map(Timestamp::from_millis);
    let now = part(0).ok_or_else(|| foreign("an answer tells no time"))?;
    Ok(Moment { now, clock: part(1).or(clock).unwrap_or(now) })
}

/// A time from a column.
pub(crate) fn time(row: &PgRow, column: usize) -> sqlx::Result<Timestamp> {
    Ok(Timestamp::from_millis(row.try_get(column)?))
}

/// A number that only grows from zero.
pub(crate) fn counter(row: &PgRow, column: usize) -> sqlx::Result<u64> {
    let value: i64 = row.try_get(column)?;
    u64::try_from(value).map_err(|_| foreign(format!("{value} is negative")))
}

/// A validated name.
pub(crate) fn name<'r, N>(row: &'r PgRow, column: usize) -> sqlx::Result<N>
where
    N: TryFrom<&'r str, Error = InvalidName>,
{
    N::try_from(row.try_get(column)?).map_err(|invalid| foreign(invalid.to_string()))
}

/// A value by its number.
pub(crate) fn code<T>(raw: i16, from_code: impl Fn(u8) -> Option<T>) -> sqlx::Result<T> {
    u8::try_from(raw).ok().and_then(from_code).ok_or_else(|| foreign(format!("{raw} is no known code")))
}

/// Reads a job whose columns begin at `at`, in the order in which every statement selects them.
pub(crate) fn read_job(row: &PgRow, at: usize, queue: &QueueName) -> sqlx::Result<TrackedJob> {
    Ok(TrackedJob {
        meta: read_meta(row, at, queue)?,
        token: read_token(row, at + 17)?,
        last_settle: match (read_token(row, at + 18)?, optional::<i16>(row, at + 19)?) {
            (Some(token), Some(event)) => Some(LastSettle { token, settle: code(event, Settle::from_code)? }),
            _ => None,
        },
    })
}

/// Reads a waiting job as a claim selects it.
pub(crate) fn read_waiting(row: &PgRow, at: usize, queue: &QueueName) -> sqlx::Result<JobMeta> {
    Ok(JobMeta {
        last_error: read_failure(row, at + 15)?,
        progress: bytes(row, at + 17)?.map(Box::new),
        failed_at: optional_time(row, at + 18)?,
        ..read_state(row, at, queue)?
    })
}

/// Reads a job as a completion selects it: what its sender did not know.
pub(crate) fn read_held(row: &PgRow, at: usize, queue: &QueueName) -> sqlx::Result<JobMeta> {
    Ok(JobMeta {
        state: State::Processing,
        revision: counter(row, at + 8)?,
        run_at: time(row, at + 9)?,
        epoch: counter(row, at + 10)?,
        last_error: read_failure(row, at + 11)?,
        progress: bytes(row, at + 13)?.map(Box::new),
        expiry_lifted: row.try_get::<i16, _>(at + 14)? & EXPIRY_LIFTED != 0,
        signalling: signalling(row.try_get(at + 14)?),
        gate: read_gate(row, at + 17)?,
        partition: read_partition(row, at + 18)?,
        claimed_at: optional_time(row, at + 15)?,
        failed_at: optional_time(row, at + 16)?,
        ..read_written_once(row, at, queue)?
    })
}

/// Reads a job with its large parts, if there was room for them.
pub(crate) fn read_record(row: &PgRow, at: usize, queue: &QueueName) -> sqlx::Result<JobRecord> {
    let meta = read_meta(row, at, queue)?;
    Ok(JobRecord { meta, body: read_body(row, at + META_COLUMNS)? })
}

/// Reads the large parts, which begin at `at`, unless the answer had no room for them: every job
/// has a payload.
fn read_body(row: &PgRow, at: usize) -> sqlx::Result<Option<JobBody>> {
    let Some(payload) = read_payload(row, at + 3)? else { return Ok(None) };
    let (error_details, result) = (bytes(row, at)?, read_payload(row, at + 1)?);
    let headers = read_headers(row, at + 5)?;
    Ok(Some(JobBody { error_details, result, headers, payload, end_signals: Vec::new() }))
}

/// Reads the large parts of a job that was claimed, which has all of them but a result.
pub(crate) fn read_claimed_body(row: &PgRow, at: usize) -> sqlx::Result<JobBody> {
    let payload = read_payload(row, at + 1)?.ok_or_else(|| foreign("a job has no payload"))?;
    let (error_details, headers) = (bytes(row, at)?, read_headers(row, at + 3)?);
    Ok(JobBody { error_details, result: None, headers, payload, end_signals: Vec::new() })
}

/// Reads a content type and bytes that stand side by side.
pub(crate) fn read_payload(row: &PgRow, at: usize) -> sqlx::Result<Option<Payload>> {
    let Some(bytes) = bytes(row, at + 1)? else { return Ok(None) };
    Ok(Some(Payload { content_type: name::<ContentType>(row, at)?, bytes }))
}

fn read_meta(row: &PgRow, at: usize, queue: &QueueName) -> sqlx::Result<JobMeta> {
    Ok(JobMeta {
        lease: read_lease(row, at + 15)?,
        reason: optional::<i16>(row, at + 20)?.map(|raw| code(raw, Reason::from_code)).transpose()?,
        finished_at: optional_time(row, at + 21)?,
        purge_at: optional_time(row, at + 22)?,
        last_error: read_failure(row, at + 23)?,
        progress: bytes(row, at + 25)?.map(Box::new),
        claimed_at: optional_time(row, at + 26)?,
        failed_at: optional_time(row, at + 27)?,
        gate: read_gate(row, at + 28)?,
        partition: read_partition(row, at + 29)?,
        ..read_state(row, at, queue)?
    })
}

/// The columns of a body, and those that every state has.
fn read_state(row: &PgRow, at: usize, queue: &QueueName) -> sqlx::Result<JobMeta> {
    let flags: i16 = row.try_get(at + 14)?;
    Ok(JobMeta {
        state: code(row.try_get(at + 8)?, State::from_code)?,
        revision: counter(row, at + 9)?,
        run_at: time(row, at + 10)?,
        epoch: counter(row, at + 11)?,
        failures: small(row, at + 12)?,
        stalls: small(row, at + 13)?,
        cancel_requested: flags & CANCEL_REQUESTED != 0,
        awaited: flags & AWAITED != 0,
        expiry_lifted: flags & EXPIRY_LIFTED != 0,
        signalling: signalling(flags),
        ..read_written_once(row, at, queue)?
    })
}

/// The columns of a body; the state is that of a job which nothing happened to.
fn read_written_once(row: &PgRow, at: usize, queue: &QueueName) -> sqlx::Result<JobMeta> {
    Ok(JobMeta {
        queue: queue.clone(),
        seq: Seq::new(counter(row, at)?),
        id: name::<JobId>(row, at + 1)?,
        kind: name::<Kind>(row, at + 2)?,
        priority: row.try_get(at + 3)?,
        created_at: time(row, at + 4)?,
        terms: read_terms(row, at + 5)?,
        expires_in: span(row, at + 6)?,
        tags: read_tags(row, at + 7)?,
        expiry_lifted: false,
        state: State::Queued,
        revision: 0,
        run_at: Timestamp::default(),
        epoch: 0,
        failures: 0,
        stalls: 0,
        cancel_requested: false,
        awaited: false,
        lease: None,
        claimed_at: None,
        failed_at: None,
        reason: None,
        finished_at: None,
        purge_at: None,
        last_error: None,
        progress: None,
        gate: None,
        signalling: Signalling::None,
        partition: None,
    })
}

fn read_partition(row: &PgRow, at: usize) -> sqlx::Result<Option<Partition>> {
    optional::<&str>(row, at)?.map(|_| name::<Partition>(row, at)).transpose()
}

fn read_lease(row: &PgRow, at: usize) -> sqlx::Result<Option<LeaseInfo>> {
    let Some(expires_at) = optional(row, at)? else { return Ok(None) };
    let expires_at = Timestamp::from_millis(expires_at);
    Ok(Some(LeaseInfo { worker: name::<WorkerId>(row, at + 1)?, expires_at }))
}

fn read_failure(row: &PgRow, at: usize) -> sqlx::Result<Option<Failure>> {
    let Some(name) = optional::<&str>(row, at)? else { return Ok(None) };
    Ok(Some(Failure::new(name, row.try_get::<&str, _>(at + 1)?)))
}

/// Reads the headers; most jobs have none, and a null then.
fn read_headers(row: &PgRow, at: usize) -> sqlx::Result<Headers> {
    Headers::from_text(row.try_get(at)?).map_err(|invalid| foreign(invalid.to_string()))
}

fn read_terms(row: &PgRow, at: usize) -> sqlx::Result<SharedTerms> {
    let bytes = optional::<&[u8]>(row, at)?.unwrap_or_default();
    SharedTerms::from_bytes(bytes).map_err(|malformed| foreign(malformed.why()))
}

fn read_tags(row: &PgRow, at: usize) -> sqlx::Result<Tags> {
    Tags::from_text(row.try_get(at)?).map_err(|invalid| foreign(invalid.to_string()))
}

fn optional_time(row: &PgRow, at: usize) -> sqlx::Result<Option<Timestamp>> {
    Ok(optional(row, at)?.map(Timestamp::from_millis))
}

fn read_token(row: &PgRow, at: usize) -> sqlx::Result<Option<LeaseToken>> {
    let Some(bytes) = optional::<&[u8]>(row, at)? else { return Ok(None) };
    let bytes = bytes.try_into().map_err(|_| foreign("a token has not 16 bytes"))?;
    Ok(Some(LeaseToken::from_bytes(bytes)))
}

fn bytes(row: &PgRow, at: usize) -> sqlx::Result<Option<Bytes>> {
    Ok(optional::<&[u8]>(row, at)?.map(Bytes::copy_from_slice))
}

fn span(row: &PgRow, at: usize) -> sqlx::Result<Option<Span>> {
    Ok(optional::<i64>(row, at)?.map(Span::from_millis))
}

fn small(row: &PgRow, at: usize) -> sqlx::Result<u32> {
    let value: i64 = row.try_get(at)?;
    u32::try_from(value).map_err(|_| foreign(format!("{value} is no count")))
}

fn optional<'r, T: Decode<'r, Postgres> + Type<Postgres>>(
    row: &'r PgRow,
    at: usize,
) -> sqlx::Result<Option<T>> {
    row.try_get(at)
}
