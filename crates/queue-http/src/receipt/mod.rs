//! Receipts: a worker presents one to settle a job that it holds.
//!
//! A receipt contains all that a decision about a held job needs, the token of its lease, and a
//! seal of the service over both. The service therefore keeps no state of the jobs it handed out,
//! any server with the same keys settles them, and a settle is one call of the store. Only the
//! service can make or change a receipt: a caller who could choose the budgets of a job would
//! choose its outcome.

mod fields;

use crate::access::{ReceiptKeys, Seal};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use fields::{Reader, Writer};
use queue_core::{
    Budget, ContentType, Headers, JobId, JobMeta, Kind, LeaseToken, NewJob, Payload, QueueName, Retention,
    RetentionPolicy, Seq, Span, State, Timestamp,
};

const VERSION: &str = "v1.";
const PURPOSE: &str = "receipt";
/// The longest receipt, in characters: two names of 255 bytes, ten numbers, token and seal.
const TEXT_LEN_MAX: usize = 1024;
const SEAL_LEN: usize = 4 + 16;

const CANCEL_REQUESTED: u8 = 1;
const AWAITED: u8 = 1 << 1;
const EXPIRES: u8 = 1 << 2;
const HAS_FOLLOW_UP: u8 = 1 << 3;
const HAS_HEADERS: u8 = 1 << 4;
const FLAGS: u8 = CANCEL_REQUESTED | AWAITED | EXPIRES | HAS_FOLLOW_UP | HAS_HEADERS;

/// What a receipt says.
#[derive(Clone, Debug)]
pub(crate) struct Receipt {
    /// The job as far as decisions about it need: see [`Receipt::has_follow_up`] for what is
    /// missing.
    pub(crate) meta: JobMeta,
    pub(crate) token: LeaseToken,
    /// The kind of the job that follows a final failure is not in the receipt.
    pub(crate) has_follow_up: bool,
    /// The headers, from which followers inherit, are not in the receipt.
    pub(crate) has_headers: bool,
}

/// The text of a receipt for a job that was just claimed.
pub(crate) fn seal(keys: &ReceiptKeys, job: &JobMeta, headers: &Headers, token: LeaseToken) -> String {
    let body = encode(job, headers, token);
    let Seal { key, tag } = keys.sign(PURPOSE, &[&body]);
    let mut bytes = Vec::with_capacity(SEAL_LEN + body.len());
    bytes.extend_from_slice(&key.to_be_bytes());
    bytes.extend_from_slice(&tag);
    bytes.extend_from_slice(&body);
    let mut text = String::with_capacity(VERSION.len() + bytes.len() * 4 / 3 + 4);
    text.push_str(VERSION);
    URL_SAFE_NO_PAD.encode_string(&bytes, &mut text);
    text
}

/// Why a text is no receipt here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoReceipt {
    /// No service made it as it is.
    Forged,
    /// It names a key that this server does not have; so may a forged one.
    OtherKey,
}

/// Reads a receipt that this service, or another one with its keys, made as it is.
pub(crate) fn open(keys: &ReceiptKeys, text: &str) -> Result<Receipt, NoReceipt> {
    let (seal, body) = parts(text).ok_or(NoReceipt::Forged)?;
    if !keys.has(seal.key) {
        return Err(NoReceipt::OtherKey);
    }
    keys.verify(PURPOSE, &[&body], seal).then(|| decode(&body)).flatten().ok_or(NoReceipt::Forged)
}

/// The seal and the body under it, of which nothing is proved yet.
fn parts(text: &str) -> Option<(Seal, Vec<u8>)> {
    if text.len() > TEXT_LEN_MAX {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(VERSION)?).ok()?;
    let (key, rest) = bytes.split_first_chunk::<4>()?;
    let (tag, body) = rest.split_first_chunk::<16>()?;
    Some((Seal { key: u32::from_be_bytes(*key), tag: *tag }, body.to_vec()))
}

fn encode(job: &JobMeta, headers: &Headers, token: LeaseToken) -> Vec<u8> {
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let mut writer = Writer::default();
    writer.bytes(token.as_bytes());
    writer.byte(
        flag(job.cancel_requested, CANCEL_REQUESTED)
            | flag(job.awaited, AWAITED)
            | flag(job.expires_in.is_some(), EXPIRES)
            | flag(job.on_failure.is_some(), HAS_FOLLOW_UP)
            | flag(!headers.is_empty(), HAS_HEADERS),
    );
    writer.number(job.seq.get());
    writer.number(job.epoch);
    writer.number(job.failures.into());
    writer.number(job.stalls.into());
    writer.number(job.max_attempts.as_raw().into());
    writer.number(job.max_stalls.as_raw().into());
    writer.signed(job.retention.completed.as_raw());
    writer.signed(job.retention.failed.as_raw());
    writer.text(job.queue.as_str());
    writer.text(job.id.as_str());
    writer.into_bytes()
}

fn decode(body: &[u8]) -> Option<Receipt> {
    let mut reader = Reader::new(body);
    let token = LeaseToken::from_bytes(reader.array()?);
    let flags = reader.byte().filter(|flags| flags & !FLAGS == 0)?;
    let has = |flag: u8| flags & flag != 0;
    let seq = Seq::new(reader.number()?);
    let epoch = reader.number()?;
    let failures = reader.small()?;
    let stalls = reader.small()?;
    let max_attempts = Budget::from_raw(reader.small()?);
    let max_stalls = Budget::from_raw(reader.small()?);
    let completed = Retention::from_raw(reader.signed()?)?;
    let failed = Retention::from_raw(reader.signed()?)?;
    let queue = QueueName::new(reader.text()?).ok()?;
    let id = JobId::new(reader.text()?).ok()?;
    if !reader.is_empty() {
        return None;
    }
    let payload = Payload::new(bytes::Bytes::new(), ContentType::from_static("none"));
    let new = NewJob::new(id, Kind::unnamed(), payload);
    let begun = JobMeta::begin(queue, &new, seq, Timestamp::default());
    let meta = JobMeta {
        state: State::Processing,
        epoch,
        failures,
        stalls,
        max_attempts,
        max_stalls,
        retention: RetentionPolicy { completed, failed },
        // Only whether it can expire matters to the decisions of a holder, and not when.
        expires_in: has(EXPIRES).then_some(Span::MAX),
        cancel_requested: has(CANCEL_REQUESTED),
        awaited: has(AWAITED),
        ..begun
    };
    Some(Receipt { meta, token, has_follow_up: has(HAS_FOLLOW_UP), has_headers: has(HAS_HEADERS) })
}

#[cfg(test)]
mod tests;
