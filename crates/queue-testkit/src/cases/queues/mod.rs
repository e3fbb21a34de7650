//! The list of queues, each with its counts.

pub(super) mod counted;
pub(super) mod listed;

use crate::bench::prelude::*;
use queue_core::{Counts, QueueStatus, QueuesQuery, State, StorageExt};

pub(super) async fn page(bench: &Bench, query: QueuesQuery) -> (Vec<QueueStatus>, Option<QueuesQuery>) {
    let limit = query.limit();
    let page = bench.store().queues(query).await.expect("queues answers");
    assert!(page.queues.len() <= limit, "a page is larger than asked for");
    (page.queues, page.next)
}

/// All pages of the list.
pub(super) async fn listed(bench: &Bench, limit: usize) -> Vec<QueueStatus> {
    let mut all = Vec::new();
    let mut next = Some(QueuesQuery::all(limit));
    while let Some(query) = next {
        let (found, then) = page(bench, query).await;
        all.extend(found);
        assert!(all.len() <= 1_000, "the walk does not end");
        next = then;
    }
    all
}

pub(super) async fn names(bench: &Bench, limit: usize) -> Vec<String> {
    listed(bench, limit).await.iter().map(|status| status.name.to_string()).collect()
}

pub(super) async fn status(bench: &Bench) -> QueueStatus {
    bench.store().status_of(bench.queue()).await.expect("queues answers").expect("it is listed")
}

/// Asserts that the list agrees with `counts` while nothing changes, and returns the counts.
pub(super) async fn agreed(bench: &Bench) -> Counts {
    let status = status(bench).await;
    let counts = bench.counts().await;
    assert_eq!(status.counts, counts);
    counts
}

pub(super) async fn assert_counted(bench: &Bench, expected: [u64; 6], when: &str) {
    let counts = agreed(bench).await;
    assert_eq!(State::ALL.map(|state| counts.of(state)), expected, "{when}");
}
