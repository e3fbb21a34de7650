//! Listings along an index: in its order, from either end, and without reading more than needed.

pub(super) mod filters;
pub(super) mod order;
pub(super) mod pages;

use crate::bench::prelude::*;
use queue_core::{JobMeta, LeaseToken, ListQuery, Tag, Walk, lifecycle::Event};

pub(super) fn along(bench: &Bench, walk: Walk) -> ListQuery {
    ListQuery::new(bench.queue().clone(), walk, 3)
}

pub(super) fn tag(text: &str) -> Tag {
    Tag::new(text).expect("a valid tag")
}

/// Runs the jobs in this order, each at its own time, to what `settle` makes of it.
pub(super) async fn run_each(bench: &Bench, texts: &[&str], settle: fn(LeaseToken) -> Event) {
    for text in texts {
        bench.changed(text, Event::Promote).await;
        bench.advance(MILLI);
        let held = bench.claim_one().await;
        assert_eq!(held.record.meta.id.as_str(), *text);
        bench.settled(&held, settle(held.token)).await;
        bench.advance(MILLI);
    }
}

/// Enqueues jobs with a long delay, so that a case chooses which ones run.
pub(super) async fn put_later(bench: &Bench, texts: &[&str]) {
    for text in texts {
        bench.put_job(job(text).with_delay(KEPT)).await;
    }
}

pub(super) fn fail_finally(token: LeaseToken) -> Event {
    fail_because(token, queue_core::lifecycle::Cause::Terminal)
}

pub(super) fn ids(jobs: &[JobMeta]) -> Vec<String> {
    jobs.iter().map(|job| job.id.to_string()).collect()
}
