use super::{
    drain::ensure_drained,
    job::{job, preload},
    setting::Setting,
    worker::builder,
};
use crate::clock::now;
use queue::{Retention, Storage, TimeOrderedIds};
use std::{sync::Arc, time::Duration};

/// Enqueue and drain of payloads of one size.
pub(super) async fn run(storage: Arc<dyn Storage>, bytes: usize, count: usize) -> anyhow::Result<Duration> {
    // Room for the quotes that make it JSON.
    let text = format!("{:?}", "x".repeat(bytes.saturating_sub(2)));
    let ids = TimeOrderedIds::default();
    let jobs: Vec<_> = (0..count).map(|_| job(&ids, &text, Retention::default())).collect();
    let started = now();
    preload(&*storage, jobs).await?;
    builder(storage.clone(), Setting::Default)?.until_empty().build()?.run().await;
    let elapsed = started.elapsed();
    ensure_drained(&*storage, count, Retention::default()).await?;
    Ok(elapsed)
}
