//! A job that is enqueued over a waiting one of its id and takes its place.

pub(super) mod bounds;
pub(super) mod calls;
pub(super) mod over;
pub(super) mod remains;

use crate::bench::prelude::*;
use queue_core::{Enqueued, NewJob, OnWaiting, Seq, Span};

/// Replaces what waits, whenever that was enqueued.
pub(super) fn replacing(text: &str) -> NewJob {
    job(text).with_on_waiting(OnWaiting::Replace { max_wait: None })
}

/// The same, due in a while, and at the latest so long after the first of them.
pub(super) fn debounced(text: &str, delay: Span, max_wait: Span) -> NewJob {
    job(text).with_delay(delay).with_on_waiting(OnWaiting::Replace { max_wait: Some(max_wait) })
}

/// Enqueues what must begin a life later than `former`.
pub(super) async fn replace(bench: &Bench, new: NewJob, former: Seq) -> Seq {
    let Enqueued::Queued { seq } = bench.enqueue(new).await else {
        panic!("it takes the place of life {former}")
    };
    assert!(seq > former, "life {seq} follows {former}");
    seq
}
