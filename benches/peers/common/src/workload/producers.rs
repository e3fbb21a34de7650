//! Producers, each a task of the runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use anyhow::Result;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::peer::{Peer, Producer};

/// Runs a caller as a server runs the handler of a request. The thread in `block_on` is not one of
/// the runtime's own, and what its wake-up takes would be measured instead of the library.
pub(super) async fn as_task<T: Send + 'static>(
    caller: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    tokio::spawn(caller).await?
}

/// Jobs are numbered from zero; producers take the next number until none is left, or it is too
/// late. The answer is how many calls came back.
pub(super) async fn enqueue<P: Peer>(peer: &P, producers: u64, jobs: u64, until: Instant) -> Result<u64> {
    let next = Arc::new(AtomicU64::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..producers {
        let (mut producer, next) = (peer.producer(), next.clone());
        tasks.spawn(async move {
            let mut calls = 0;
            loop {
                let n = next.fetch_add(1, SeqCst);
                if n >= jobs || Instant::now() >= until {
                    return anyhow::Ok(calls);
                }
                producer.enqueue(n).await?;
                calls += 1;
            }
        });
    }
    sum(tasks).await
}

/// The calls of all tasks; the first error ends the others.
pub(super) async fn sum(mut tasks: JoinSet<Result<u64>>) -> Result<u64> {
    let mut calls = 0;
    while let Some(ended) = tasks.join_next().await {
        calls += ended??;
    }
    Ok(calls)
}
