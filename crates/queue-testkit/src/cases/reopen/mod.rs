//! Closing a store and opening its data again.

pub(super) mod data;
pub(super) mod going_on;

use crate::bench::Bench;
use queue_core::{Detail, JobRecord, ListQuery};

/// Every record of the queue, with its body.
pub(super) async fn all_records(bench: &Bench) -> Vec<JobRecord> {
    let metas = bench.list(ListQuery::all(bench.queue().clone(), 1000)).await;
    let ids: Vec<_> = metas.into_iter().map(|meta| meta.id).collect();
    let reply = bench.store().get(bench.queue(), &ids, Detail::Full).await.expect("it answers");
    reply.value.into_iter().flatten().collect()
}
