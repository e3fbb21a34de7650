//! Jobs that expire unless they start in time. A store keeps the time, frees the id of such a job,
//! and leases it like any other; the caller that sees that it is too late ends it.

pub(super) mod ends;
pub(super) mod ids;
pub(super) mod kept;

use crate::bench::prelude::*;
use queue_core::{
    Changed, JobMeta, NewJob, Reason, Seq, Span, State,
    lifecycle::{Event, Rejected},
};

/// The time after which such a job expires.
pub(super) const PATIENCE: Span = Span::from_secs(5);

pub(super) fn expiring(text: &str) -> NewJob {
    job(text).with_expires_in(PATIENCE)
}

pub(super) fn too_late(bench: &Bench) -> Event {
    Event::Expire { now: bench.now(), token: None }
}

/// Enqueues a job that expires, and lets its time pass.
pub(super) async fn put_expired(bench: &Bench, text: &str) -> Seq {
    let seq = bench.put_job(expiring(text)).await;
    bench.advance(PATIENCE);
    seq
}

pub(super) fn assert_expired(meta: &JobMeta) {
    let end = (meta.state, meta.reason, meta.failures, meta.stalls, meta.last_error.as_ref());
    assert_eq!(end, (State::Cancelled, Some(Reason::Expired), 0, 0, None));
}

pub(super) fn not_allowed(state: State) -> Changed {
    Changed::Rejected(Rejected::NotAllowed(state))
}
