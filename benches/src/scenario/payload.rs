//! The scenario of payload sizes: enqueue and drain of jobs whose payloads have a given size.

use super::{
    drain::ensure_drained,
    job::{BATCH, job, queue},
    setting::Setting,
    worker::builder,
};
use crate::{
    clock::now,
    figures::{Figures, Reading},
};
use queue::queue_core::Retention;
use queue::{Storage, TimeOrderedIds};
use std::sync::Arc;

/// Payloads of one call, at most.
const CALL_BYTES_MAX: usize = 8 << 20;

/// Enqueue, then drain, of payloads of one size.
pub(super) async fn run(
    storage: Arc<dyn Storage>,
    bytes: usize,
    count: usize,
) -> anyhow::Result<Vec<Reading>> {
    // Room for the quotes that make it JSON.
    let text = format!("{:?}", "x".repeat(bytes.saturating_sub(2)));
    let ids = TimeOrderedIds::default();
    let jobs: Vec<_> = (0..count).map(|_| job(&ids, &text, Retention::default())).collect();
    let started = now();
    for batch in jobs.chunks((CALL_BYTES_MAX / bytes).clamp(1, BATCH)) {
        storage.enqueue(&queue(), vec![batch.to_vec()]).await?;
    }
    let enqueued = Figures::rate(count, started.elapsed());
    let started = now();
    builder(storage.clone(), Setting::Default)?.until_empty().build()?.run().await;
    let drained = Figures::rate(count, started.elapsed());
    ensure_drained(&*storage, count, Retention::default()).await?;
    Ok(vec![Reading::part("enqueue", enqueued), Reading::part("drain", drained)])
}
