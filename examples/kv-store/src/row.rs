//! How a job is written: `MessagePack` of a flat struct, since `queue-core` prescribes no format.

use bytes::Bytes;
use queue_core::{
    Attempt, AttemptOutcome, Budget, ContentType, Error, ErrorKind, Failure, Headers, InvalidName, JobId,
    JobMeta, Kind, LeaseInfo, LeaseToken, Payload, QueueName, Reason, Result, Retention, RetentionPolicy,
    Seq, Span, State, Tags, Timestamp, WorkerId,
    lifecycle::{LastSettle, Settle, TrackedJob},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A job in the types of the format. Fields are written in this order, without names: a new one goes to the end.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    queue: String,
    id: String,
    seq: u64,
    revision: u64,
    kind: String,
    priority: i16,
    created_at: i64,
    run_at: i64,
    state: u8,
    reason: Option<u8>,
    epoch: u64,
    failures: u32,
    stalls: u32,
    max_attempts: u32,
    max_stalls: u32,
    lease: Option<(String, i64)>,
    cancel_requested: bool,
    awaited: bool,
    progress: Option<Bytes>,
    last_error: Option<(String, String)>,
    retention: (i64, i64),
    finished_at: Option<i64>,
    purge_at: Option<i64>,
    token: Option<[u8; 16]>,
    last_settle: Option<([u8; 16], u8)>,
    payload_len: u64,
    expires_in: Option<i64>,
    expiry_lifted: bool,
    time_limit: Option<i64>,
    on_failure: Option<String>,
    tags: Option<String>,
    claimed_at: Option<i64>,
    failed_at: Option<i64>,
}

/// An attempt in the types of the format.
#[derive(Debug, Serialize, Deserialize)]
struct AttemptRow(u64, String, i64, i64, u8, String, String);

/// A job as it is stored, with the length of its payload: a claim must know that before it reads any.
#[derive(Clone, Debug)]
pub(crate) struct StoredJob {
    pub(crate) job: TrackedJob,
    pub(crate) payload_len: u64,
}

pub(crate) fn write_job(stored: &StoredJob) -> Bytes {
    write(&Row::from(stored))
}

pub(crate) fn read_job(bytes: &[u8]) -> Result<StoredJob> {
    read::<Row>(bytes)?.into_job().ok_or_else(|| corrupt("a part of a job has no meaning"))
}

pub(crate) fn write_payload(payload: &Payload) -> Bytes {
    write(&(payload.content_type.as_str(), &payload.bytes))
}

pub(crate) fn read_payload(bytes: &[u8]) -> Result<Payload> {
    let (content_type, bytes): (String, Bytes) = read(bytes)?;
    let content_type = ContentType::new(content_type).map_err(|_| corrupt("a content type is no name"))?;
    Ok(Payload { bytes, content_type })
}

/// Those that were charged to a life.
pub(crate) fn write_attempts(attempts: &[Attempt]) -> Bytes {
    let row = |attempt: &Attempt| {
        let Attempt { epoch, worker, claimed_at, ended_at, outcome, error_name, error_message } =
            attempt.clone();
        let (began, ended) = (claimed_at.as_millis(), ended_at.as_millis());
        AttemptRow(epoch, worker.to_string(), began, ended, outcome.as_code(), error_name, error_message)
    };
    write(&attempts.iter().map(row).collect::<Vec<_>>())
}

pub(crate) fn read_attempts(bytes: &[u8]) -> Result<Vec<Attempt>> {
    let attempt = |AttemptRow(epoch, worker, began, ended, outcome, error_name, error_message)| {
        let worker = WorkerId::new(worker).ok()?;
        let outcome = AttemptOutcome::from_code(outcome)?;
        let (claimed_at, ended_at) = (Timestamp::from_millis(began), Timestamp::from_millis(ended));
        Some(Attempt { epoch, worker, claimed_at, ended_at, outcome, error_name, error_message })
    };
    let attempts: Option<_> = read::<Vec<AttemptRow>>(bytes)?.into_iter().map(attempt).collect();
    attempts.ok_or_else(|| corrupt("a part of an attempt has no meaning"))
}

pub(crate) fn read_headers(bytes: &[u8]) -> Result<Headers> {
    let headers = std::str::from_utf8(bytes).ok().map(|text| Headers::from_text(Some(text)));
    headers.and_then(Result::ok).ok_or_else(|| corrupt("headers that are none"))
}

/// A bare number: a `seq`, a time or a length.
pub(crate) fn write_number(number: u64) -> Bytes {
    Bytes::copy_from_slice(&number.to_be_bytes())
}

pub(crate) fn read_number(bytes: &[u8]) -> Result<u64> {
    bytes.try_into().map(u64::from_be_bytes).map_err(|_| corrupt("a number has not eight bytes"))
}

/// The name of a queue, which stands in a key as it is.
pub(crate) fn read_name(bytes: &[u8]) -> Result<QueueName> {
    let name = std::str::from_utf8(bytes).ok().and_then(|text| QueueName::new(text).ok());
    name.ok_or_else(|| corrupt("a queue has no name"))
}

fn write(value: &impl Serialize) -> Bytes {
    rmp_serde::to_vec(value).expect("plain data in memory can always be written").into()
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    rmp_serde::from_slice(bytes)
        .map_err(|error| corrupt("bytes that this store did not write").with_source(error))
}

fn corrupt(message: &str) -> Error {
    Error::new(ErrorKind::Corrupt, "read", message)
}

impl From<&StoredJob> for Row {
    fn from(StoredJob { job: TrackedJob { meta, token, last_settle }, payload_len }: &StoredJob) -> Self {
        Self {
            queue: meta.queue.to_string(),
            id: meta.id.to_string(),
            seq: meta.seq.get(),
            revision: meta.revision,
            kind: meta.kind.to_string(),
            priority: meta.priority,
            created_at: meta.created_at.as_millis(),
            run_at: meta.run_at.as_millis(),
            state: meta.state.as_code(),
            reason: meta.reason.map(Reason::as_code),
            epoch: meta.epoch,
            failures: meta.failures,
            stalls: meta.stalls,
            max_attempts: meta.max_attempts.as_raw(),
            max_stalls: meta.max_stalls.as_raw(),
            lease: meta.lease.as_ref().map(|lease| (lease.worker.to_string(), lease.expires_at.as_millis())),
            cancel_requested: meta.cancel_requested,
            awaited: meta.awaited,
            progress: meta.progress.as_deref().cloned(),
            last_error: meta
                .last_error
                .as_ref()
                .map(|error| (error.name().to_owned(), error.message().to_owned())),
            retention: (meta.retention.completed.as_raw(), meta.retention.failed.as_raw()),
            finished_at: meta.finished_at.map(Timestamp::as_millis),
            purge_at: meta.purge_at.map(Timestamp::as_millis),
            token: token.map(|token| *token.as_bytes()),
            last_settle: last_settle.map(|last| (*last.token.as_bytes(), last.settle.as_code())),
            payload_len: *payload_len,
            expires_in: meta.expires_in.map(Span::as_millis),
            expiry_lifted: meta.expiry_lifted,
            time_limit: meta.time_limit.map(Span::as_millis),
            on_failure: meta.on_failure.as_ref().map(Kind::to_string),
            tags: meta.tags.to_text(),
            claimed_at: meta.claimed_at.map(Timestamp::as_millis),
            failed_at: meta.failed_at.map(Timestamp::as_millis),
        }
    }
}

impl Row {
    /// `None` if any part breaks the rules of its type: the row was not written here.
    fn into_job(self) -> Option<StoredJob> {
        let payload_len = self.payload_len;
        let token = self.token.map(LeaseToken::from_bytes);
        let last_settle = match self.last_settle {
            Some((token, code)) => {
                Some(LastSettle { token: LeaseToken::from_bytes(token), settle: Settle::from_code(code)? })
            }
            None => None,
        };
        let job = TrackedJob { meta: self.into_meta()?, token, last_settle };
        Some(StoredJob { job, payload_len })
    }

    fn into_meta(self) -> Option<JobMeta> {
        let lease = match self.lease {
            Some((worker, at)) => Some(LeaseInfo {
                worker: WorkerId::new(worker).ok()?,
                expires_at: Timestamp::from_millis(at),
            }),
            None => None,
        };
        let reason = match self.reason {
            Some(code) => Some(Reason::from_code(code)?),
            None => None,
        };
        let on_failure = match self.on_failure {
            Some(kind) => Some(Kind::new(kind).ok()?),
            None => None,
        };
        let (completed, failed) = self.retention;
        let names = || -> Result<_, InvalidName> {
            Ok((QueueName::new(&self.queue)?, JobId::new(&self.id)?, Kind::new(&self.kind)?))
        };
        let (queue, id, kind) = names().ok()?;
        Some(JobMeta {
            queue,
            id,
            seq: Seq::new(self.seq),
            revision: self.revision,
            kind,
            tags: Tags::from_text(self.tags.as_deref()).ok()?,
            priority: self.priority,
            created_at: Timestamp::from_millis(self.created_at),
            run_at: Timestamp::from_millis(self.run_at),
            state: State::from_code(self.state)?,
            reason,
            epoch: self.epoch,
            failures: self.failures,
            stalls: self.stalls,
            expires_in: self.expires_in.map(Span::from_millis),
            expiry_lifted: self.expiry_lifted,
            time_limit: self.time_limit.map(Span::from_millis),
            max_attempts: Budget::from_raw(self.max_attempts),
            max_stalls: Budget::from_raw(self.max_stalls),
            lease,
            claimed_at: self.claimed_at.map(Timestamp::from_millis),
            cancel_requested: self.cancel_requested,
            awaited: self.awaited,
            progress: self.progress.map(Box::new),
            last_error: self.last_error.map(|(name, message)| Failure::new(name, message)),
            failed_at: self.failed_at.map(Timestamp::from_millis),
            on_failure,
            retention: RetentionPolicy {
                completed: Retention::from_raw(completed)?,
                failed: Retention::from_raw(failed)?,
            },
            finished_at: self.finished_at.map(Timestamp::from_millis),
            purge_at: self.purge_at.map(Timestamp::from_millis),
        })
    }
}
