//! Jobs as state strings, and back.
//!
//! Numbers are big-endian. The front is what changes, and what jobs of a batch mostly have in
//! common, so that a script works out once for all of them what they become; `lua/part/state.lua`
//! names its parts in the same order:
//!
//! | bytes | what |
//! |---|---|
//! | 1, 1, 1, 1 | state; flags; reason + 1; last settle + 1 |
//! | 6, 6, 4, 4 | revision, epoch, failures, stalls |
//! | 6, 6, 6 | lease end, or finish; `purge_at`, all ones for never; `claimed_at`, zero if it never was |
//! | 1 | further flags |
//! | 1, 1, 2, 3 | lengths of token, worker, error and progress |
//! | as long as that | token and worker |
//!
//! The tail is a job's own:
//!
//! | bytes | what |
//! |---|---|
//! | 2, 6, 6, 4 | priority + 32768; `run_at`; `created_at`; bytes of the payload, without its content type |
//! | as long as the front says | error, which begins with the six bytes of `failed_at`, and progress |
//! | 1 and more, 1 and more | id; kind; each behind its length |
//! | 6 | how long it may wait for its start; only where a flag says so |
//! | 2 and as many as these say | [terms](queue_core::JobTerms::to_bytes); only where a flag says so, others are plain |
//! | 2 and as many as these say | tags, one a line; only where a flag says so |
//! | 1 and as many as this says | partition; only where a flag says so |
//! | 33 | [gate](crate::gate); only where a flag says so |
//! | 1 | how many end signals it owes, 255 if they are sent; only where a flag says so that it has some |
//! | what is left | a result of at most [`SMALL_RESULT_MAX`] bytes; larger ones stand elsewhere |
//!
//! The token is the lease's while Processing, and afterwards that of the last settle.

use crate::{
    gate::{read_gate, read_signalling},
    reader::Reader,
};
use bytes::Bytes;
use queue_core::{
    Failure, JobId, JobMeta, Kind, LeaseInfo, Partition, QueueName, Reason, Seq, SharedTerms, Signalling,
    Span, State, Tags, Timestamp, WorkerId,
};

pub(crate) const CANCEL_REQUESTED: u8 = 1;
pub(crate) const AWAITED: u8 = 2;
pub(crate) const HAS_RESULT: u8 = 4;
pub(crate) const HAS_DETAILS: u8 = 8;
pub(crate) const HAS_PROGRESS: u8 = 16;
pub(crate) const RESULT_WITHIN: u8 = 32;
pub(crate) const EXPIRY_LIFTED: u8 = 64;
pub(crate) const HAS_EXPIRY: u8 = 128;
/// Bits of the second byte of flags.
pub(crate) const HAS_TAGS: u8 = 1;
pub(crate) const HAS_ATTEMPTS: u8 = 2;
pub(crate) const HAS_TERMS: u8 = 4;
pub(crate) const HAS_GATE: u8 = 8;
pub(crate) const HAS_SIGNALS: u8 = 16;
pub(crate) const HAS_PARTITION: u8 = 128;
const TOKEN_BYTES: usize = 16;
/// A seq as keys and indexes have it.
pub(crate) const SEQ_BYTES: usize = 6;
/// A result of so many bytes, content type included, stands in the state string.
pub(crate) const SMALL_RESULT_MAX: usize = 128;
/// The time that never comes.
pub(crate) const NEVER: u64 = (1 << 48) - 1;
const PRIORITY_BIAS: u16 = 1 << 15;
/// Numbers of queues have so many bits, lives of one queue the rest.
const NUMBER_BITS: u32 = 20;
/// The lowest number of a queue that no seq has room for.
pub(crate) const NUMBERS_MAX: u64 = 1 << NUMBER_BITS;

/// A record as it was read.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says of one thing whether it is there")]
pub(crate) struct RedisRecord {
    pub(crate) meta: JobMeta,
    /// How many bytes the payload has, without its content type and headers: what claims stop by.
    pub(crate) payload_bytes: u32,
    /// Where in the state string the result begins, if it stands there.
    pub(crate) result_at: Option<usize>,
    /// Whether there is a result that stands elsewhere.
    pub(crate) has_large_result: bool,
    pub(crate) has_details: bool,
    pub(crate) has_attempts: bool,
    /// Whether it was enqueued with end signals, which stand elsewhere.
    pub(crate) has_signals: bool,
    /// Whether the token is that of a lease, rather than that of a settle or none.
    pub(crate) is_held: bool,
}

/// The seq as callers see it, made of the queue's own count and of the queue's number, which makes
/// it unique in the store.
pub(crate) fn seq(count: u64, number: u64) -> Seq {
    Seq::new(count << NUMBER_BITS | number)
}

/// The queue's own count and the queue's number.
pub(crate) fn split(seq: Seq) -> (u64, u64) {
    (seq.get() >> NUMBER_BITS, seq.get() & (NUMBERS_MAX - 1))
}

/// The last six bytes of a number: how records are named in indexes and hashes.
pub(crate) fn six(number: u64) -> [u8; 6] {
    let bytes = number.to_be_bytes();
    [bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]
}

/// Decodes a state string; `None` if this library did not write it.
pub(crate) fn read(queue: &QueueName, seq: Seq, job: &[u8]) -> Option<RedisRecord> {
    let mut from = Reader::new(job);
    let state = State::from_code(from.u8()?)?;
    let flags = from.u8()?;
    let reason = from.u8()?.checked_sub(1).map(Reason::from_code);
    let last_settle = from.u8()?;
    let (revision, epoch) = (from.six()?, from.six()?);
    let (failures, stalls) = (from.u32()?, from.u32()?);
    let ends = from.time()?;
    let purge_at = from.six()?;
    let claimed_at = from.time()?;
    let extras = from.u8()?;
    let (token, worker) = (usize::from(from.u8()?), usize::from(from.u8()?));
    let (failure, progress) = (usize::from(from.u16()?), from.three()?);
    let (token, worker) = (from.take(token)?, from.take(worker)?);
    let priority = priority(from.u16()?);
    let run_at = from.time()?;
    let created_at = from.time()?;
    let payload_bytes = from.u32()?;
    let (failure, progress) = (from.take(failure)?, from.take(progress)?);
    let (id, kind) = (JobId::new(from.short_text()?).ok()?, Kind::new(from.short_text()?).ok()?);
    let expires_in =
        if flags & HAS_EXPIRY == 0 { None } else { Some(Span::from_millis(from.six()?.cast_signed())) };
    let terms = SharedTerms::from_bytes(part(&mut from, extras & HAS_TERMS != 0)?).ok()?;
    let tags = std::str::from_utf8(part(&mut from, extras & HAS_TAGS != 0)?).ok()?;
    let tags = Tags::from_text(Some(tags).filter(|tags| !tags.is_empty())).ok()?;
    let partition =
        if extras & HAS_PARTITION == 0 { None } else { Some(Partition::new(from.short_text()?).ok()?) };
    let gate = if extras & HAS_GATE == 0 { None } else { Some(Box::new(read_gate(&mut from)?)) };
    let signalling = if extras & HAS_SIGNALS == 0 { Signalling::None } else { read_signalling(from.u8()?) };
    let charged = if failure.is_empty() { None } else { Some(read_charged(failure)?) };
    let (failed_at, last_error) = charged.unzip();
    let meta = JobMeta {
        queue: queue.clone(),
        id,
        seq,
        revision,
        kind,
        tags,
        priority,
        created_at,
        run_at,
        state,
        reason: reason.map_or(Some(None), |known| known.map(Some))?,
        epoch,
        failures,
        stalls,
        expires_in,
        expiry_lifted: flags & EXPIRY_LIFTED != 0,
        terms,
        lease: if state == State::Processing { Some(lease(worker, ends)?) } else { None },
        claimed_at: (epoch > 0).then_some(claimed_at),
        cancel_requested: flags & CANCEL_REQUESTED != 0,
        awaited: flags & AWAITED != 0,
        progress: (flags & HAS_PROGRESS != 0).then(|| Box::new(Bytes::copy_from_slice(progress))),
        last_error,
        failed_at,
        finished_at: state.is_terminal().then_some(ends),
        purge_at: (purge_at != NEVER).then(|| time(purge_at)),
        gate,
        signalling,
        partition,
    };
    let is_held = token.len() == TOKEN_BYTES && last_settle == 0;
    Some(RedisRecord::of(meta, payload_bytes, [flags, extras], from.position(), is_held))
}

impl RedisRecord {
    /// What the flags say of the parts besides the metadata, where the rest begins at `rest_at`.
    fn of(
        meta: JobMeta,
        payload_bytes: u32,
        [flags, extras]: [u8; 2],
        rest_at: usize,
        is_held: bool,
    ) -> Self {
        let is_within = flags & RESULT_WITHIN != 0;
        Self {
            meta,
            payload_bytes,
            result_at: is_within.then_some(rest_at),
            has_large_result: flags & HAS_RESULT != 0 && !is_within,
            has_details: flags & HAS_DETAILS != 0,
            has_attempts: extras & HAS_ATTEMPTS != 0,
            has_signals: extras & HAS_SIGNALS != 0,
            is_held,
        }
    }
}

/// Reads a part behind its length, or nothing where there is none.
fn part<'b>(from: &mut Reader<'b>, is_there: bool) -> Option<&'b [u8]> {
    if !is_there {
        return Some(&[]);
    }
    let length = from.u16()?;
    from.take(length.into())
}

/// A priority so that its bytes sort as it does.
pub(crate) fn priority_bytes(priority: i16) -> [u8; 2] {
    (priority.cast_unsigned() ^ PRIORITY_BIAS).to_be_bytes()
}

/// The priority whose bytes these are.
pub(crate) fn priority(sorts_as: u16) -> i16 {
    (sorts_as ^ PRIORITY_BIAS).cast_signed()
}

/// A failure as scripts put it into a state string, behind its time: never empty.
pub(crate) fn write_failure(failure: &Failure) -> Vec<u8> {
    let mut text = Vec::with_capacity(1 + failure.name().len() + failure.message().len());
    push_short(&mut text, failure.name().as_bytes());
    text.extend_from_slice(failure.message().as_bytes());
    text
}

/// Writes a text of at most 255 bytes behind its length.
pub(crate) fn push_short(to: &mut Vec<u8>, text: &[u8]) {
    debug_assert!(u8::try_from(text.len()).is_ok(), "a name has at most 255 bytes");
    to.push(text.len() as u8);
    to.extend_from_slice(text);
}

fn read_charged(text: &[u8]) -> Option<(Timestamp, Failure)> {
    let mut from = Reader::new(text);
    let (failed_at, name) = (from.time()?, from.short_text()?);
    Some((failed_at, Failure::new(name, std::str::from_utf8(from.rest()).ok()?)))
}

fn lease(worker: &[u8], expires_at: Timestamp) -> Option<LeaseInfo> {
    let worker = WorkerId::new(std::str::from_utf8(worker).ok()?).ok()?;
    Some(LeaseInfo { worker, expires_at })
}

/// A time from its six bytes, which always fit.
pub(crate) fn time(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{APPLY_TEXT, assert_same_constants, constant};

    #[test]
    fn scripts_have_the_same_numbers_for_flags_and_marks_of_records() {
        assert_same_constants!(
            APPLY_TEXT: CANCEL_REQUESTED, AWAITED, HAS_RESULT, HAS_DETAILS, HAS_PROGRESS, RESULT_WITHIN, EXPIRY_LIFTED,
            HAS_EXPIRY, HAS_TAGS, HAS_ATTEMPTS, HAS_TERMS, HAS_GATE, HAS_SIGNALS, HAS_PARTITION, NEVER,
        );
    }

    #[test]
    fn scripts_have_the_same_numbers_for_states() {
        for state in State::ALL {
            let name = format!("{state:?}").to_uppercase();
            assert_eq!(constant(APPLY_TEXT, &name), Some(state.as_code().to_string()), "{name}");
        }
    }
}
