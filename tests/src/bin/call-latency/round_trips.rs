//! The single round trips of a call, measured within one process.

use crate::{Failed, store::Store};
use queue::Queue;
use queue_e2e::Latencies;
use std::{fmt, time::Duration};
use tokio::time::Instant;

/// The parts of a call, each measured in this process without other load.
#[derive(Debug, Default)]
pub(crate) struct RoundTrips {
    enqueue: Latencies,
    claim: Latencies,
    settle: Latencies,
    read: Latencies,
}

impl RoundTrips {
    /// The sum of the medians.
    pub(crate) fn sum(&self) -> Duration {
        [&self.enqueue, &self.claim, &self.settle, &self.read].map(|took| took.within(500)).iter().sum()
    }
}

impl fmt::Display for RoundTrips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            ("enqueue", &self.enqueue),
            ("claim", &self.claim),
            ("settle", &self.settle),
            ("read", &self.read),
        ];
        for (name, took) in all {
            writeln!(f, "  {name}: {took}")?;
        }
        write!(f, "  medians in all: {:.1?}", self.sum())
    }
}

/// Measures as many round trips of each kind as there will be calls.
pub(crate) async fn measure(store: &Store, count: u64) -> Result<RoundTrips, Failed> {
    let storage = store.open().await?;
    let queue: Queue<u64, u64> = Queue::new(storage.clone(), "round-trips")?;
    let mut trips = RoundTrips::default();
    for number in 0..count {
        let begun = Instant::now();
        let stored = queue.enqueue(queue::Id::Generated, number).await?;
        trips.enqueue.note(begun.elapsed());
        let begun = Instant::now();
        let job = queue.dequeue(Duration::ZERO).await?.ok_or("what was enqueued is not due")?;
        trips.claim.note(begun.elapsed());
        let begun = Instant::now();
        let _ = job.ack(&number).await?;
        trips.settle.note(begun.elapsed());
        let begun = Instant::now();
        queue.result(stored.id()).await?;
        trips.read.note(begun.elapsed());
    }
    storage.close().await?;
    Ok(trips)
}
