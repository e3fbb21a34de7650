//! The busy process: enqueues, claims and settles jobs one after the other, and prints the rate.

use crate::Failed;
use queue::{Queue, SystemRng, queue_core::Rng};
use std::time::Duration;
use tokio::time::Instant;

/// Enqueues, claims and completes jobs, one after the other, as fast as the store allows. Prints
/// the rate per second.
pub(crate) async fn work(store: &str, seconds: u64) -> Result<(), Failed> {
    let name = format!("busy-{:016x}", SystemRng.next_u64());
    let queue: Queue<u64, ()> = Queue::builder(queue::open(store).await?, name).build()?;
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut jobs = 0;
    while Instant::now() < end {
        queue.enqueue(jobs.to_string(), jobs).await?;
        let delivery = queue.dequeue(Duration::from_secs(10)).await?.ok_or("a job is gone")?;
        let _settled = delivery.ack(&()).await?;
        jobs += 1;
    }
    println!("{}", jobs / seconds);
    Ok(())
}
