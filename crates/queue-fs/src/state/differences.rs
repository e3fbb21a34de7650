//! What a transaction changed of a job.

use crate::format::FieldChange;
use bytes::Bytes;
use queue_core::{Attempt, Payload, State};
use queue_memory::PackedJob;

/// Whether an amendment replaced the payload, whose bytes are then in memory. The bytes of any
/// other payload may be on the disk alone, before and after.
pub(super) fn has_new_payload(before: &PackedJob, after: &PackedJob) -> bool {
    (before.payload_len, &before.payload) != (after.payload_len, &after.payload)
}

/// What happened to the result. A job has one if and only if it is Completed, and each completion
/// belongs to another claim.
pub(super) fn result_of<'r>(before: &PackedJob, after: &'r PackedJob) -> FieldChange<&'r Payload> {
    let completed = |stored: &PackedJob| (stored.state == State::Completed).then_some(stored.epoch);
    match &after.course().result {
        None if before.course().result.is_some() => FieldChange::Gone,
        Some(result) if completed(before) != completed(after) => FieldChange::Now(result),
        _ => FieldChange::Same,
    }
}

/// The attempts charged since `before`; one transaction may charge several.
pub(super) fn charged<'a>(before: &PackedJob, after: &'a PackedJob) -> &'a [Attempt] {
    let seen = before.course().attempts().last().map_or(0, |attempt| attempt.epoch);
    let attempts = after.course().attempts();
    &attempts[attempts.partition_point(|attempt| attempt.epoch <= seen)..]
}

/// What happened to the details of the last error.
pub(super) fn details_of<'d>(before: &PackedJob, after: &'d PackedJob) -> FieldChange<&'d Bytes> {
    match (&before.course().error_details, &after.course().error_details) {
        (before, after) if before == after => FieldChange::Same,
        (_, None) => FieldChange::Gone,
        (_, Some(details)) => FieldChange::Now(details),
    }
}
