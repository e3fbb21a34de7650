//! The highest number that a store ever gave.

use queue_core::{
    ContentType, Direction, Enqueued, Error, ErrorKind, JobId, Kind, ListQuery, NewJob, Payload, QueueName,
    Result, Retention, Seq, Span, Storage, StorageExt, Walk,
    lifecycle::{Event, Policy},
};

/// The id and the kind of the job that is enqueued to learn a number.
pub(super) const PROBE: &str = "queue.copy";

/// A job of an earlier copy may have been left, so a second try begins a life.
const TRIES: usize = 2;

/// The newest number of the source: the number of a job which is enqueued for this alone, and
/// removed. No other verb answers it, since the last life may have left no record.
///
/// If this is cut short, the job stays. No worker gets it, and the next copy removes it.
pub(super) async fn last_seq(from: &dyn Storage, queue: &QueueName) -> Result<Seq> {
    let id = JobId::from_static(PROBE);
    for _ in 0..TRIES {
        let answers = from.enqueue(queue, vec![vec![probe(id.clone())]]).await?.value;
        let answer = answers.into_iter().flatten().next();
        from.change(queue, &id, Event::Delete, &Policy::default()).await?;
        if let Some(Enqueued::Queued { seq }) = answer {
            return Ok(seq);
        }
    }
    Err(Error::new(ErrorKind::Conflict, "copy", format!("the source keeps a job {PROBE:?}; remove it")))
}

/// The number of the newest job that left a record; zero if none did.
pub(super) async fn newest_seq(from: &dyn Storage, queue: &QueueName) -> Result<Seq> {
    let newest = ListQuery::new(queue.clone(), Walk::All(Direction::NewestFirst), 1);
    Ok(from.list(newest).await?.jobs.first().map_or(Seq::new(0), |job| job.seq))
}

fn probe(id: JobId) -> NewJob {
    let payload = Payload::new("", ContentType::from_static("text/plain"));
    NewJob::new(id, Kind::from_static(PROBE), payload).with_delay(Span::MAX).with_retention(Retention::Remove)
}
