//! The state string of a record of another store.

use crate::{
    body::{payload_bytes, write_payload},
    gate::{gate_bytes, signalling_byte},
    new_job::head,
    row::{
        AWAITED, CANCEL_REQUESTED, EXPIRY_LIFTED, HAS_ATTEMPTS, HAS_DETAILS, HAS_EXPIRY, HAS_GATE,
        HAS_PARTITION, HAS_PROGRESS, HAS_RESULT, HAS_SIGNALS, HAS_TAGS, HAS_TERMS, NEVER, RESULT_WITHIN,
        SMALL_RESULT_MAX, priority_bytes, six, write_failure,
    },
    shapes::two,
};
use queue_core::{JobMeta, NewJob, Payload, Signalling, Timestamp, WholeJob};

/// Bytes of the head that stand before the error: the payload's length.
const LENGTH_BYTES: usize = 4;

/// Writes a record that is not leased as [`row::read`](crate::row::read) takes it; `new` is the job
/// as it was enqueued.
pub(crate) fn write(job: &WholeJob, new: &NewJob) -> Vec<u8> {
    let meta = &job.meta;
    let failure = charged(meta);
    let progress = meta.progress().unwrap_or_default();
    let (flags, extras) = flags(job);
    let mut state =
        vec![meta.state.as_code(), flags, meta.reason.map_or(0, |reason| reason.as_code() + 1), 0];
    state.extend(six(meta.revision));
    state.extend(six(meta.epoch));
    state.extend(meta.failures.to_be_bytes());
    state.extend(meta.stalls.to_be_bytes());
    state.extend(time(meta.finished_at));
    state.extend(six(meta.purge_at.map_or(NEVER, millis)));
    state.extend(time(meta.claimed_at));
    // Neither token nor worker.
    state.extend([extras, 0, 0]);
    state.extend(two(failure.len()).to_be_bytes());
    let progress_bytes = u32::try_from(progress.len()).expect("progress has at most 16 MiB");
    state.extend_from_slice(&progress_bytes.to_be_bytes()[1..]);
    state.extend(priority_bytes(meta.priority));
    state.extend(six(millis(meta.run_at)));
    state.extend(six(millis(meta.created_at)));
    let head = head(new);
    state.extend_from_slice(&head[..LENGTH_BYTES]);
    state.extend(failure);
    state.extend_from_slice(progress);
    state.extend_from_slice(&head[LENGTH_BYTES..]);
    state.extend(meta.gate.as_deref().map(gate_bytes).unwrap_or_default());
    state.extend(signalling_byte(meta.signalling));
    if let Some(result) = small_result(job) {
        state.extend(write_payload(result));
    }
    state
}

fn flags(job: &WholeJob) -> (u8, u8) {
    let flag = |flag: u8, holds: bool| u8::from(holds) * flag;
    let (meta, body) = (&job.meta, &job.body);
    let flags = flag(HAS_EXPIRY, meta.expires_in.is_some())
        | flag(CANCEL_REQUESTED, meta.cancel_requested)
        | flag(AWAITED, meta.awaited)
        | flag(EXPIRY_LIFTED, meta.expiry_lifted)
        | flag(HAS_RESULT, body.result.is_some())
        | flag(RESULT_WITHIN, small_result(job).is_some())
        | flag(HAS_DETAILS, body.error_details.is_some())
        | flag(HAS_PROGRESS, meta.progress.is_some());
    let extras = flag(HAS_ATTEMPTS, !job.attempts.is_empty())
        | flag(HAS_TAGS, !meta.tags.is_empty())
        | flag(HAS_TERMS, !meta.terms.is_plain())
        | flag(HAS_GATE, meta.gate.is_some())
        | flag(HAS_SIGNALS, meta.signalling != Signalling::None)
        | flag(HAS_PARTITION, meta.partition.is_some());
    (flags, extras)
}

fn small_result(job: &WholeJob) -> Option<&Payload> {
    job.body.result.as_ref().filter(|result| payload_bytes(result) <= SMALL_RESULT_MAX)
}

/// The error behind the time at which it was charged; empty for none.
fn charged(meta: &JobMeta) -> Vec<u8> {
    let Some(error) = &meta.last_error else { return Vec::new() };
    [&time(meta.failed_at)[..], &write_failure(error)].concat()
}

fn time(at: Option<Timestamp>) -> [u8; 6] {
    six(at.map_or(0, millis))
}

/// An import has no time before 1970.
fn millis(at: Timestamp) -> u64 {
    at.as_millis().unsigned_abs()
}
