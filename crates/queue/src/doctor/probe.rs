//! The round trip of a hint, through a queue that has no other use.

use futures_util::StreamExt;
use queue_core::{
    ContentType, EventReach, EventStream, Finding, Interest, JobId, Kind, NewJob, Payload, QueueName, Result,
    Storage, StorageExt,
    lifecycle::{Event, Policy},
};
use queue_view::words::age;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The reserved queue of the probe. It stays listed by stores that it was probed on, without jobs.
pub const PROBE_QUEUE: &str = "queue.doctor";
/// Its name, as a name.
pub(super) fn probe_queue() -> QueueName {
    QueueName::from_static(PROBE_QUEUE)
}

/// A hint of a store that is well arrives within milliseconds.
const HINT_LATE: Duration = Duration::from_secs(1);
/// How long each step of the probe is waited for.
const STEP_MAX: Duration = Duration::from_secs(5);
const CODE: &str = "hints-arrive";

/// Subscribes with one handle, enqueues a job with the other, waits for the hint, and removes the
/// job.
pub(super) async fn hints(storage: &dyn Storage, producer: &dyn Storage) -> Finding {
    const ADVICE: &str = "workers still find jobs by polling, so they start later; see that connections that listen are not cut \
        (poolers, firewalls), or that the system reports writes of files";
    if storage.capabilities().events == EventReach::None {
        return Finding::fine(CODE, "this handle has no hints, so jobs are found by polling");
    }
    match round_trip(storage, producer).await {
        Ok(Some(took)) if took > HINT_LATE => {
            Finding::warning(CODE, format!("a hint took {}", age(took)), ADVICE)
        }
        Ok(Some(took)) => Finding::fine(CODE, format!("a hint took {}", age(took))),
        Ok(None) => Finding::warning(CODE, format!("no hint came within {}", age(STEP_MAX)), ADVICE),
        Err(error) => Finding::broken(
            CODE,
            format!("a job could not be enqueued and removed again: {error}"),
            "see what the error says: producers meet it too",
        ),
    }
}

async fn round_trip(storage: &dyn Storage, producer: &dyn Storage) -> Result<Option<Duration>> {
    let (queue, id) = (probe_queue(), JobId::from_static("probe"));
    // A doctor that was killed may have left its job.
    remove(producer, &queue, &id).await?;
    let subscribed = timeout(STEP_MAX, storage.subscribe(&queue, Interest::Wake)).await;
    let Ok(stream) = subscribed else { return Ok(None) };
    let mut stream = stream?;
    forget_earlier(&mut stream).await;
    let begun = Instant::now();
    let payload = Payload::new("", ContentType::from_static("application/octet-stream"));
    let job = NewJob::new(id.clone(), Kind::from_static("queue.probe"), payload);
    producer.enqueue(&queue, vec![vec![job]]).await?;
    let hint = timeout(STEP_MAX, stream.next()).await;
    let took = begun.elapsed();
    remove(producer, &queue, &id).await?;
    Ok(hint.ok().flatten().map(|_| took))
}

/// Skips hints that the removal of an old probe caused.
async fn forget_earlier(stream: &mut EventStream) {
    const EARLIER_MAX: usize = 8;
    for _ in 0..EARLIER_MAX {
        if timeout(Duration::from_millis(20), stream.next()).await.is_err() {
            return;
        }
    }
}

async fn remove(storage: &dyn Storage, queue: &QueueName, id: &JobId) -> Result<()> {
    storage.change(queue, id, Event::Delete, &Policy::default()).await.map(drop)
}
