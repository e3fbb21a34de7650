//! Receipts: a worker presents one to settle a job that it holds.
//!
//! A receipt contains all that a decision about a held job needs, the token of its lease, and a
//! seal of the service over both. The service therefore keeps no state of the jobs it handed out,
//! any server with the same keys settles them, and a settle is one call of the store. Only the
//! service can make or change a receipt: a caller who could choose the budgets of a job would
//! choose its outcome.

use crate::access::{ReceiptKeys, Seal};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use queue_core::{
    ContentType, Headers, JobId, JobMeta, JobTerms, Kind, LeaseToken, NewJob, Payload, QueueName, Seq,
    SharedTerms, Signalling, Span, State, Timestamp,
    wire::{Malformed, Reader, Writer},
};

const VERSION: &str = "v1.";
/// The form of the body.
const BODY_VERSION: u8 = 1;
const PURPOSE: &str = "receipt";
/// The longest receipt, in characters: two names of 255 bytes, ten numbers, token and seal.
const TEXT_LEN_MAX: usize = 1024;
const SEAL_LEN: usize = 4 + 16;

const CANCEL_REQUESTED: u8 = 1;
const AWAITED: u8 = 1 << 1;
const EXPIRES: u8 = 1 << 2;
const HAS_FOLLOW_UP: u8 = 1 << 3;
const HAS_HEADERS: u8 = 1 << 4;
/// How many end signals the job owes comes last.
const OWES_SIGNALS: u8 = 1 << 5;
/// It sent them at an end before a redrive.
const HAS_SIGNALLED: u8 = 1 << 6;
const FLAGS: u8 =
    CANCEL_REQUESTED | AWAITED | EXPIRES | HAS_FOLLOW_UP | HAS_HEADERS | OWES_SIGNALS | HAS_SIGNALLED;

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
    let is_sealed = keys.verify(PURPOSE, &[&body], seal);
    is_sealed.then(|| decode(body).ok()).flatten().ok_or(NoReceipt::Forged)
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
    // What a decision reads of them; `has_follow_up` says what else there is.
    let JobTerms { max_attempts, max_stalls, retention, .. } = *job.terms;
    let terms = JobTerms { max_attempts, max_stalls, retention, ..JobTerms::PLAIN };
    let owed = match job.signalling {
        Signalling::Owed(count) => Some(count),
        Signalling::None | Signalling::Sent => None,
    };
    let has_signalled = job.signalling == Signalling::Sent;
    let mut writer = Writer::new(BODY_VERSION);
    writer.token(token.as_bytes());
    writer.byte(
        flag(job.cancel_requested, CANCEL_REQUESTED)
            | flag(job.awaited, AWAITED)
            | flag(job.expires_in.is_some(), EXPIRES)
            | flag(job.terms.on_failure.is_some(), HAS_FOLLOW_UP)
            | flag(!headers.is_empty(), HAS_HEADERS)
            | flag(owed.is_some(), OWES_SIGNALS)
            | flag(has_signalled, HAS_SIGNALLED),
    );
    writer.number(job.seq.get());
    writer.number(job.epoch);
    writer.number(job.failures);
    writer.number(job.stalls);
    writer.blob(&terms.to_bytes());
    writer.text(job.queue.as_str());
    writer.text(job.id.as_str());
    if let Some(count) = owed {
        writer.byte(count);
    }
    writer.into_bytes()
}

fn decode(body: Vec<u8>) -> Result<Receipt, Malformed> {
    let (version, mut reader) = Reader::new(body.into())?;
    let token = LeaseToken::from_bytes(reader.token()?);
    let flags = reader.byte()?;
    if version != BODY_VERSION || flags & !FLAGS != 0 {
        return Err(Malformed("another version made it"));
    }
    let has = |flag: u8| flags & flag != 0;
    let seq = Seq::new(reader.number()?);
    let epoch = reader.number()?;
    let failures = reader.number()?;
    let stalls = reader.number()?;
    let terms = SharedTerms::from_bytes(&reader.blob()?).map_err(|malformed| Malformed(malformed.why()))?;
    let queue = reader.name::<QueueName>()?;
    let id = reader.name::<JobId>()?;
    let signalling = match (has(OWES_SIGNALS), has(HAS_SIGNALLED)) {
        (true, _) => Signalling::Owed(reader.byte()?),
        (false, true) => Signalling::Sent,
        (false, false) => Signalling::None,
    };
    let payload = Payload::new(bytes::Bytes::new(), ContentType::from_static("none"));
    let new = NewJob::new(id, Kind::unnamed(), payload);
    let begun = JobMeta::begin(queue, &new, seq, Timestamp::default());
    let meta = JobMeta {
        state: State::Processing,
        epoch,
        failures,
        stalls,
        terms,
        // Only whether it can expire matters to the decisions of a holder, and not when.
        expires_in: has(EXPIRES).then_some(Span::MAX),
        cancel_requested: has(CANCEL_REQUESTED),
        awaited: has(AWAITED),
        signalling,
        ..begun
    };
    let receipt = Receipt { meta, token, has_follow_up: has(HAS_FOLLOW_UP), has_headers: has(HAS_HEADERS) };
    reader.finish(receipt)
}

#[cfg(test)]
mod tests;
