//! Jobs that follow a change of another in the same atomic step.

pub(super) mod changes;
pub(super) mod completions;
pub(super) mod once;
pub(super) mod settles;

use crate::bench::prelude::*;
use queue_core::{NewJob, Retention};

/// A follower that waits long enough to be counted.
pub(super) fn next() -> NewJob {
    job("next").with_delay(KEPT)
}

/// A follower that is due at once and leaves no record.
pub(super) fn fleeting(text: &str) -> NewJob {
    job(text).with_retention(Retention::Remove)
}

/// Runs every due job to its end.
pub(super) async fn run_all(bench: &Bench) -> Vec<String> {
    let held = bench.claim(100).await;
    for job in &held {
        bench.complete(job).await;
    }
    ids_of(&held)
}
