//! A job that replaces a waiting one of the same id.

pub(super) mod bounds;
pub(super) mod calls;
pub(super) mod over;
pub(super) mod remains;

use crate::bench::prelude::*;
use queue_core::{Enqueued, NewJob, OnWaiting, Seq, Span};

/// A job that replaces a waiting one of any age.
pub(super) fn replacing(text: &str) -> NewJob {
    job(text).with_on_waiting(OnWaiting::Replace { max_wait: None })
}

/// The same with a delay, and a bound from the creation of the first.
pub(super) fn debounced(text: &str, delay: Span, max_wait: Span) -> NewJob {
    job(text).with_delay(delay).with_on_waiting(OnWaiting::Replace { max_wait: Some(max_wait) })
}

/// Enqueues a job that must begin a life later than `former`.
pub(super) async fn replace(bench: &Bench, new: NewJob, former: Seq) -> Seq {
    let Enqueued::Queued { seq } = bench.enqueue(new).await else {
        panic!("it takes the place of life {former}")
    };
    assert!(seq > former, "life {seq} follows {former}");
    seq
}
