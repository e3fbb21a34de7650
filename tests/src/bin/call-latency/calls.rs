//! The measured calls: one after the other, each answered by the other process.

use crate::{Failed, other_side, store::Store};
use queue_e2e::Latencies;
use tokio::time::Instant;

/// Calls that warm up caches and are not counted.
const WARM_UP: u64 = 20;

/// Makes calls to another process, one after the other.
pub(crate) async fn measure(store: &Store, calls: u64) -> Result<Latencies, Failed> {
    let storage = store.open().await?;
    let queue = Store::queue(&storage)?;
    let mut worker = other_side::start(store)?;
    let mut took = Latencies::default();
    for number in 0..calls + WARM_UP {
        let begun = Instant::now();
        let answer = queue.enqueue_and_wait(queue::Id::Generated, number, store.patience()).await?;
        if answer != number + 1 {
            return Err(format!("call {number} was answered with {answer}").into());
        }
        if number >= WARM_UP {
            took.note(begun.elapsed());
        }
    }
    worker.kill().await?;
    storage.close().await?;
    Ok(took)
}
