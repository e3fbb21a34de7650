//! Transitions as scripts take them. The order of the parts is `SHAPE` in `lua/apply.lua`.

use crate::{
    body::{payload_bytes, write_payload},
    row::{SMALL_RESULT_MAX, push_short, six, write_failure},
    shapes::two,
};
use queue_core::{
    Attempt, Failure,
    lifecycle::{BodyPatch, Finish, Flags, Lapse, Patch, Proof, Purge, Requeue, RunAt, Transition},
};

const BY_REVISION: u8 = 0;
const BY_LEASE: u8 = 1;
const ANY_FLAGS: u8 = 255;
const KEEP_TIME: u8 = 0;
const SOONEST: u8 = 1;
const AFTER: u8 = 2;
const NEVER_PURGED: u8 = 3;
const WITH_ERROR: u8 = 1;
const FRESH: u8 = 2;
const WITH_RESULT: u8 = 4;
const WITH_DETAILS: u8 = 8;
const WITH_PROGRESS: u8 = 16;
const WITH_SMALL_RESULT: u8 = 32;
const LIFTS_EXPIRY: u8 = 64;
const WITH_TYPE: u8 = 128;

/// What a patch says, in the places that a shape has for it.
#[derive(Default)]
struct Parts {
    kind: u8,
    state: u8,
    reason: u8,
    mode: u8,
    marks: u8,
    failures: u32,
    stalls: u32,
    span_ms: i64,
    failure: Vec<u8>,
}

/// Guard and patch without what differs from job to job.
pub(crate) fn shape(sent: &Transition) -> Vec<u8> {
    let parts = parts(&sent.patch);
    let mut shape = Vec::with_capacity(64 + parts.failure.len());
    push_guard(&mut shape, sent);
    shape.extend_from_slice(&[parts.kind, parts.state, parts.reason, parts.mode, parts.marks]);
    shape.extend_from_slice(&parts.failures.to_be_bytes());
    shape.extend_from_slice(&parts.stalls.to_be_bytes());
    shape.extend_from_slice(&six(parts.span_ms.unsigned_abs()));
    if let Proof::Lease { token, .. } = &sent.guard.proof {
        shape.extend_from_slice(token.as_bytes());
    }
    shape.extend_from_slice(&parts.failure);
    shape
}

/// An error behind how many of its bytes an attempt keeps: its name, and the beginning of its message.
fn charged(error: &Failure) -> Vec<u8> {
    let text = write_failure(error);
    let kept = text.len() - error.message().len() + Attempt::excerpt(error).len();
    [&two(kept).to_be_bytes()[..], &text].concat()
}

/// The part whose size is up to the job's author: a result, error details or progress; or the content type of its payload.
pub(crate) fn large(patch: &Patch) -> Vec<u8> {
    match (patch.body(), patch) {
        (BodyPatch::Result(result), _) => write_payload(&result),
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
        Lapse::Any => 0,
        Lapse::Lapsed => 1,
        Lapse::Live => 2,
    };
    let (proof, seen, settle, number) = match &sent.guard.proof {
        Proof::Revision(revision) => (BY_REVISION, ANY_FLAGS, 0, *revision),
        Proof::Lease { epoch, flags, settle, .. } => {
            let settle = settle.map_or(0, |settle| settle.as_code() + 1);
            (BY_LEASE, flags.map_or(ANY_FLAGS, flag_bits), settle, *epoch)
        }
    };
    shape.extend_from_slice(&[proof, lapse, seen, settle]);
    shape.extend_from_slice(&six(number));
}

fn parts(patch: &Patch) -> Parts {
    match patch {
        Patch::Requeue(requeued) => requeue(requeued, body_marks(patch)),
        Patch::Finish(finished) => finish(finished, body_marks(patch)),
        Patch::Remove => Parts { kind: 3, ..Parts::default() },
        Patch::Extend { by, progress } => {
            let marks = u8::from(progress.is_some()) * WITH_PROGRESS;
            Parts { kind: 4, marks, span_ms: by.as_millis(), ..Parts::default() }
        }
        Patch::Flag(flags) => Parts { kind: 5, state: flag_bits(*flags), ..Parts::default() },
        Patch::Retain(purge) => {
            let (mode, span_ms) = purge_parts(*purge);
            Parts { kind: 6, mode, span_ms, ..Parts::default() }
        }
    }
}

fn requeue(patch: &Requeue, body: u8) -> Parts {
    let (mode, span_ms) = match patch.run_at {
        RunAt::Keep => (KEEP_TIME, 0),
        RunAt::Soonest => (SOONEST, 0),
        RunAt::After(span) => (AFTER, span.as_millis()),
    };
    Parts {
        kind: 1,
        state: patch.state.as_code(),
        reason: 0,
        mode,
        marks: body
            | (u8::from(patch.fresh) * FRESH)
            | (u8::from(patch.lifts_expiry) * LIFTS_EXPIRY)
            | (u8::from(patch.progress.is_some()) * WITH_PROGRESS),
        failures: patch.failures,
        stalls: patch.stalls,
        span_ms,
        failure: patch.error.as_ref().map(charged).unwrap_or_default(),
    }
}

fn finish(patch: &Finish, body: u8) -> Parts {
    let (mode, span_ms) = purge_parts(patch.purge);
    Parts {
        kind: 2,
        state: patch.state.as_code(),
        reason: patch.reason.map_or(0, |reason| reason.as_code() + 1),
        mode,
        marks: body,
        failures: patch.failures,
        stalls: patch.stalls,
        span_ms,
        failure: patch.error.as_ref().map(charged).unwrap_or_default(),
    }
}

/// Which large part comes with it, and whether there is an error.
fn body_marks(patch: &Patch) -> u8 {
    let large = match patch.body() {
        BodyPatch::Result(result) if payload_bytes(&result) <= SMALL_RESULT_MAX => WITH_SMALL_RESULT,
        BodyPatch::Result(_) => WITH_RESULT,
        BodyPatch::ErrorDetails(Some(_)) => WITH_DETAILS,
        BodyPatch::Clear { content_type: Some(_) } => WITH_TYPE,
        BodyPatch::ErrorDetails(None) | BodyPatch::Clear { content_type: None } | BodyPatch::Keep => 0,
    };
    let has_error = match patch {
        Patch::Requeue(Requeue { error, .. }) | Patch::Finish(Finish { error, .. }) => error.is_some(),
        _ => false,
    };
    large | (u8::from(has_error) * WITH_ERROR)
}

fn purge_parts(purge: Purge) -> (u8, i64) {
    match purge {
        Purge::After(span) => (AFTER, span.as_millis()),
        Purge::Never => (NEVER_PURGED, 0),
    }
}

fn flag_bits(flags: Flags) -> u8 {
    u8::from(flags.cancel_requested) + 2 * u8::from(flags.awaited)
}
