//! Transitions as bytes, in the order that `read_shape` in `lua/apply.lua` reads.
//!
//! Every number that stands for a kind has one name here and in the script; a test compares the
//! two.

use crate::{
    body::{payload_bytes, write_payload},
    new_job::terms_bytes,
    row::{AWAITED, CANCEL_REQUESTED, SMALL_RESULT_MAX, priority_bytes, push_short, six, write_failure},
    shapes::two,
};
use queue_core::{
    Attempt, Failure,
    lifecycle::{
        Amend, BodyPatch, CloseGate, Finish, Flags, Lapse, Patch, Proof, Purge, Requeue, RunAt, Signals,
        Transition,
    },
};

/// Whether a guard compares the revision or the lease.
const BY_REVISION: u8 = 0;
const BY_LEASE: u8 = 1;
/// Whether a guard asks for a lapsed or a live lease.
const ANY_LAPSE: u8 = 0;
const LAPSED: u8 = 1;
const LIVE: u8 = 2;
/// The guard asks for no particular flags.
const ANY_FLAGS: u8 = 255;
/// The kinds of patches.
const REQUEUE: u8 = 1;
const FINISH: u8 = 2;
const REMOVE: u8 = 3;
const EXTEND: u8 = 4;
const FLAG: u8 = 5;
const RETAIN: u8 = 6;
const AMEND: u8 = 7;
const SEAL: u8 = 8;
/// What is added to the kind of a patch that sends end signals, for each outcome once more.
const SIGNALS_END: u8 = 16;
/// In place of a reason: a requeue closes the gate.
const CLOSES: u8 = 1;
/// How it closes the gate.
const SETS_NEEDS: u8 = 1;
const SEALS: u8 = 2;
const HEEDS: u8 = 4;
/// How the time of a patch is meant.
const KEEP_TIME: u8 = 0;
const SOONEST: u8 = 1;
const AFTER: u8 = 2;
const NEVER_PURGED: u8 = 3;
/// The marks of a patch: what comes with it.
const WITH_ERROR: u8 = 1;
const FRESH: u8 = 2;
const WITH_RESULT: u8 = 4;
const WITH_DETAILS: u8 = 8;
const WITH_PROGRESS: u8 = 16;
const WITH_SMALL_RESULT: u8 = 32;
const LIFTS_EXPIRY: u8 = 64;
const WITH_TYPE: u8 = 128;
/// What an amendment changes besides the due time; they stand where other patches have a state.
const AMENDS_PAYLOAD: u8 = 1;
const AMENDS_PRIORITY: u8 = 2;
const AMENDS_TERMS: u8 = 4;

/// The fields that a shape has for a patch.
#[derive(Default)]
struct PatchFields {
    kind: u8,
    state: u8,
    reason: u8,
    mode: u8,
    marks: u8,
    failures: u32,
    stalls: u32,
    span_ms: i64,
    /// How the gate is closed, where it is; then the failure behind the number of its bytes that an
    /// attempt keeps; or terms.
    rest: Vec<u8>,
}

/// Guard and patch without what differs from job to job.
pub(crate) fn shape(sent: &Transition) -> Vec<u8> {
    let fields = patch_fields(&sent.patch);
    let mut shape = Vec::with_capacity(64 + fields.rest.len());
    push_guard(&mut shape, sent);
    let kind = fields.kind + sent.signal.map_or(0, signals_end);
    shape.extend_from_slice(&[kind, fields.state, fields.reason, fields.mode, fields.marks]);
    shape.extend_from_slice(&fields.failures.to_be_bytes());
    shape.extend_from_slice(&fields.stalls.to_be_bytes());
    shape.extend_from_slice(&six(fields.span_ms.unsigned_abs()));
    if let Proof::Lease { token, .. } = &sent.guard.proof {
        shape.extend_from_slice(token.as_bytes());
    }
    shape.extend_from_slice(&fields.rest);
    shape
}

fn signals_end(signals: Signals) -> u8 {
    (signals.outcome.as_code() + 1) * SIGNALS_END
}

/// Writes how a gate is closed.
fn closing(closes: &CloseGate) -> Vec<u8> {
    let flags = (u8::from(closes.needs.is_some()) * SETS_NEEDS)
        | (u8::from(closes.seals) * SEALS)
        | (u8::from(closes.heeds_urgent) * HEEDS);
    let numbers = [closes.needs.unwrap_or_default(), closes.not_completed_seen];
    [&[flags][..], &numbers.map(u64::to_be_bytes).concat()].concat()
}

/// Writes an error behind how many of its bytes an attempt keeps: its name, and the beginning of
/// its message.
fn charged(error: &Failure) -> Vec<u8> {
    let text = write_failure(error);
    let kept = text.len() - error.message().len() + Attempt::excerpt(error).len();
    [&two(kept).to_be_bytes()[..], &text].concat()
}

/// The part of a patch whose size is up to the job's author: a result, error details, progress or a
/// payload; or the content type of its payload.
pub(crate) fn large(patch: &Patch) -> Vec<u8> {
    match (patch.body(), patch) {
        (BodyPatch::Result(payload) | BodyPatch::Payload(payload), _) => write_payload(&payload),
        (BodyPatch::ErrorDetails(Some(details)), _) => details.to_vec(),
        (BodyPatch::Clear { content_type: Some(content_type) }, _) => {
            let mut large = Vec::new();
            push_short(&mut large, content_type.as_str().as_bytes());
            large
        }
        (
            _,
            Patch::Extend { progress: Some(progress), .. }
            | Patch::Requeue(Requeue { progress: Some(progress), .. }),
        ) => progress.to_vec(),
        _ => Vec::new(),
    }
}

fn push_guard(shape: &mut Vec<u8>, sent: &Transition) {
    let lapse = match sent.guard.lapse {
        Lapse::Any => ANY_LAPSE,
        Lapse::Lapsed => LAPSED,
        Lapse::Live => LIVE,
    };
    // Zero stands for no settle, so that the codes of settles begin at one.
    match &sent.guard.proof {
        Proof::Revision(revision) => {
            shape.extend_from_slice(&[BY_REVISION, lapse, ANY_FLAGS, 0]);
            shape.extend_from_slice(&six(*revision));
        }
        Proof::Lease { epoch, flags, settle, .. } => {
            let flags = flags.map_or(ANY_FLAGS, flag_bits);
            let settle = settle.map_or(0, |settle| settle.as_code() + 1);
            shape.extend_from_slice(&[BY_LEASE, lapse, flags, settle]);
            shape.extend_from_slice(&six(*epoch));
        }
    }
}

fn patch_fields(patch: &Patch) -> PatchFields {
    match patch {
        Patch::Requeue(requeued) => requeue(requeued, body_marks(patch)),
        Patch::Finish(finished) => finish(finished, body_marks(patch)),
        Patch::Remove => PatchFields { kind: REMOVE, ..PatchFields::default() },
        Patch::Extend { by, progress } => {
            let marks = u8::from(progress.is_some()) * WITH_PROGRESS;
            PatchFields { kind: EXTEND, marks, span_ms: by.as_millis(), ..PatchFields::default() }
        }
        Patch::Flag(flags) => PatchFields { kind: FLAG, state: flag_bits(*flags), ..PatchFields::default() },
        Patch::Amend(to) => amend(to),
        Patch::Seal => PatchFields { kind: SEAL, ..PatchFields::default() },
        Patch::Retain(purge) => {
            let (mode, span_ms) = purge_fields(*purge);
            PatchFields { kind: RETAIN, mode, span_ms, ..PatchFields::default() }
        }
    }
}

fn requeue(patch: &Requeue, body: u8) -> PatchFields {
    let (mode, span_ms) = run_at_fields(patch.run_at);
    PatchFields {
        kind: REQUEUE,
        state: patch.state.as_code(),
        reason: u8::from(patch.closes.is_some()) * CLOSES,
        mode,
        marks: body
            | (u8::from(patch.fresh) * FRESH)
            | (u8::from(patch.lifts_expiry) * LIFTS_EXPIRY)
            | (u8::from(patch.progress.is_some()) * WITH_PROGRESS),
        failures: patch.failures,
        stalls: patch.stalls,
        span_ms,
        rest: [
            patch.closes.as_deref().map(closing).unwrap_or_default(),
            patch.error.as_ref().map(charged).unwrap_or_default(),
        ]
        .concat(),
    }
}

fn finish(patch: &Finish, body: u8) -> PatchFields {
    let (mode, span_ms) = purge_fields(patch.purge);
    PatchFields {
        kind: FINISH,
        state: patch.state.as_code(),
        reason: patch.reason.map_or(0, |reason| reason.as_code() + 1),
        mode,
        marks: body,
        failures: patch.failures,
        stalls: patch.stalls,
        span_ms,
        rest: patch.error.as_ref().map(charged).unwrap_or_default(),
    }
}

/// The marks of a patch for its large part and its error.
fn body_marks(patch: &Patch) -> u8 {
    let large = match patch.body() {
        BodyPatch::Result(result) if payload_bytes(&result) <= SMALL_RESULT_MAX => WITH_SMALL_RESULT,
        BodyPatch::Result(_) => WITH_RESULT,
        BodyPatch::ErrorDetails(Some(_)) => WITH_DETAILS,
        BodyPatch::Clear { content_type: Some(_) } => WITH_TYPE,
        BodyPatch::ErrorDetails(None)
        | BodyPatch::Clear { content_type: None }
        | BodyPatch::Payload(_)
        | BodyPatch::Keep => 0,
    };
    let has_error = match patch {
        Patch::Requeue(Requeue { error, .. }) | Patch::Finish(Finish { error, .. }) => error.is_some(),
        _ => false,
    };
    large | (u8::from(has_error) * WITH_ERROR)
}

fn amend(to: &Amend) -> PatchFields {
    let (mode, span_ms) = run_at_fields(to.run_at);
    PatchFields {
        kind: AMEND,
        state: (u8::from(to.payload.is_some()) * AMENDS_PAYLOAD)
            | (u8::from(to.priority.is_some()) * AMENDS_PRIORITY)
            | (u8::from(to.terms.is_some()) * AMENDS_TERMS),
        mode,
        failures: to.priority.map_or(0, |to| u16::from_be_bytes(priority_bytes(to)).into()),
        span_ms,
        rest: to.terms.as_ref().map(terms_bytes).unwrap_or_default(),
        ..PatchFields::default()
    }
}

fn run_at_fields(run_at: RunAt) -> (u8, i64) {
    match run_at {
        RunAt::Keep => (KEEP_TIME, 0),
        RunAt::Soonest => (SOONEST, 0),
        RunAt::After(span) => (AFTER, span.as_millis()),
    }
}

fn purge_fields(purge: Purge) -> (u8, i64) {
    match purge {
        Purge::After(span) => (AFTER, span.as_millis()),
        Purge::Never => (NEVER_PURGED, 0),
    }
}

fn flag_bits(flags: Flags) -> u8 {
    u8::from(flags.cancel_requested) * CANCEL_REQUESTED + u8::from(flags.awaited) * AWAITED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{APPLY_TEXT, assert_same_constants};

    #[test]
    fn the_script_that_applies_has_the_same_numbers_for_guards_and_patches() {
        assert_same_constants!(
            APPLY_TEXT: BY_LEASE, LAPSED, LIVE, ANY_FLAGS, REQUEUE, FINISH, REMOVE, EXTEND, FLAG, RETAIN, AMEND, SEAL,
            SIGNALS_END, CLOSES, SETS_NEEDS, SEALS, HEEDS, SOONEST, AFTER, NEVER_PURGED, WITH_ERROR, FRESH, WITH_RESULT, WITH_DETAILS, WITH_PROGRESS, WITH_SMALL_RESULT,
            LIFTS_EXPIRY, WITH_TYPE, AMENDS_PAYLOAD, AMENDS_PRIORITY, AMENDS_TERMS,
        );
    }
}
