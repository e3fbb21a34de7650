//! Many jobs in all states, made by importing copies of a few that came into these states by
//! themselves.

use super::QUEUE;
use crate::failed::{Failed, require};
use futures_util::{StreamExt, TryStreamExt, stream};
use queue::{
    Change, Failure, JobId, JobOptions, Keep, Nack, Queue, Seq, State, Storage, StorageExt,
    queue_core::{Detail, ImportRequest, Imported, Payload, QueueName, WholeJob},
};
use std::{sync::Arc, time::Duration};

/// The jobs of one import.
const BATCH: u64 = 500;
/// The imports that are under way at once.
const AT_ONCE: usize = 4;
/// Longer than any run.
const LONG: Duration = Duration::from_hours(1000);

/// One job in each way in which jobs can stand, except being processed.
#[derive(Debug)]
pub(crate) struct Templates(pub(crate) Vec<WholeJob>);

impl Templates {
    pub(crate) async fn make() -> Result<Self, Failed> {
        let storage = queue::open("memory:").await?;
        let queue: Queue<String, String> = Queue::new(storage.clone(), QUEUE)?;
        let options = JobOptions::new().keep(Keep::Forever).header("origin", "soak").tag("tenant-7");
        for id in ["failed", "failing", "completed", "released"] {
            let stored = queue.enqueue_with(id, id.to_owned(), options.clone()).await?;
            require(stored.is_new(), || format!("{id} was there"))?;
        }
        while let Some(job) = queue.dequeue(Duration::ZERO).await? {
            let failure = Failure::new("Timeout", "no answer").with_details("the stack of the error".into());
            let first = job.attempt() == 1;
            let _settled = match (job.id().as_str(), first) {
                ("failed", false) => job.nack(Nack::new(failure).terminal()).await?,
                ("failing", false) => job.nack(Nack::new(failure).retry_in(LONG)).await?,
                ("completed", false) => job.ack(&"the result".to_owned()).await?,
                ("released", false) => job.snooze(LONG).await?,
                _ => job.nack(Nack::new(failure).retry_in(Duration::ZERO)).await?,
            };
        }
        for id in ["cancelled", "queued"] {
            let _new = queue.enqueue_with(id, id.to_owned(), options.clone().priority(3)).await?;
        }
        let _new = queue.enqueue_with("scheduled", "later".to_owned(), options.clone().delay(LONG)).await?;
        let cancelled = queue.cancel("cancelled").await?;
        require(cancelled == Change::Done, || format!("not cancelled: {cancelled:?}"))?;
        let ids = ["failed", "failing", "completed", "released", "cancelled", "queued", "scheduled"];
        let mut jobs = Vec::new();
        for id in ids {
            jobs.push(read_whole(&*storage, &JobId::from_static(id)).await?);
        }
        Ok(Self(jobs))
    }

    /// The template in this state.
    pub(crate) fn in_state(&self, state: State) -> &WholeJob {
        self.0.iter().find(|job| job.meta.state == state).expect("each state has a template")
    }
}

/// A record with all that belongs to it.
pub(crate) async fn read_whole(storage: &dyn Storage, id: &JobId) -> Result<WholeJob, Failed> {
    let queue = QueueName::from_static(QUEUE);
    let found = storage.get(&queue, std::slice::from_ref(id), Detail::Full).await?.value.pop().flatten();
    let record = found.ok_or_else(|| format!("{id} is missing"))?;
    let attempts = storage.attempts_of(&queue, id).await?.value.map(|found| found.attempts);
    let body = record.body.ok_or("a record without its body")?;
    Ok(WholeJob { meta: record.meta, body, attempts: attempts.unwrap_or_default() })
}

/// The job of this number, like the template otherwise.
pub(crate) fn numbered(template: &WholeJob, number: u64) -> WholeJob {
    let mut job = template.clone();
    job.meta.id = JobId::new(format!("job-{number:08}")).expect("digits are allowed");
    job.meta.seq = Seq::new(0);
    let text = format!("{:?}", payload_text(number));
    job.body.payload = Payload::new(text, job.body.payload.content_type);
    job
}

/// The payload of the job of this number, 100 bytes long.
pub(crate) fn payload_text(number: u64) -> String {
    format!("{:>100}", format!("this is the payload of the job {number}"))
}

/// The number in an id.
pub(crate) fn number_of(id: &JobId) -> Option<u64> {
    id.as_str().strip_prefix("job-")?.parse().ok()
}

/// Imports the jobs that `make` returns for each number.
pub(crate) async fn fill(
    storage: &Arc<dyn Storage>,
    jobs: u64,
    make: impl Fn(u64) -> WholeJob,
) -> Result<(), Failed> {
    let queue = QueueName::from_static(QUEUE);
    let batches = (0..jobs.div_ceil(BATCH)).map(|batch| {
        let numbers = batch * BATCH..jobs.min((batch + 1) * BATCH);
        let jobs = numbers.map(&make).collect();
        storage.import(ImportRequest { queue: queue.clone(), after: Seq::new(0), jobs })
    });
    let stored = stream::iter(batches)
        .buffered(AT_ONCE)
        .try_fold(0, |sum, answer| async move {
            Ok(sum + answer.value.iter().filter(|one| Imported::is_new(one)).count() as u64)
        })
        .await?;
    require(stored == jobs, || format!("{stored} of {jobs} jobs were imported"))
}
