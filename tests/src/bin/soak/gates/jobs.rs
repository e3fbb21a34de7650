//! The jobs of a run: members, the jobs that wait for them, and plain ones.

use crate::{
    failed::{Failed, require},
    many::{QUEUE, payload_text},
};
use queue::{
    JobId, Kind, Storage,
    queue_core::{
        Budget, Changed, ContentType, EndSignal, Enqueued, NewGate, NewJob, Payload, QueueName, Retention,
        StorageExt,
        lifecycle::{Event, Policy},
    },
};
use std::ops::Range;

/// The kind of a job that completes.
pub(super) const COMPLETES: &str = "completes";
/// The kind of a job that fails.
pub(super) const FAILS: &str = "fails";
/// The kind of a job that waits for its members.
pub(super) const WAITS: &str = "waits";
/// One member in this number fails.
const FAILS_ONE_IN: u64 = 10;

/// How many jobs, and how many of the gates that these count at. Without gates they are plain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Members {
    pub(super) jobs: u64,
    pub(super) gates: u64,
}

pub(super) fn queue() -> QueueName {
    QueueName::from_static(QUEUE)
}

pub(super) fn waiting(gate: u64) -> JobId {
    JobId::new(format!("gate-{gate}")).expect("digits are allowed")
}

impl Members {
    /// Stores the jobs that wait, each behind a gate that needs nothing yet and is not sealed.
    pub(super) async fn open(&self, storage: &dyn Storage) -> Result<(), Failed> {
        let wait = |gate| new(waiting(gate), WAITS, 0).with_gate(NewGate::default());
        store(storage, (0..self.gates).map(wait).collect()).await
    }

    /// Stores the jobs with these numbers.
    pub(super) async fn add(&self, storage: &dyn Storage, numbers: Range<u64>) -> Result<(), Failed> {
        store(storage, numbers.map(|number| self.job(number)).collect()).await
    }

    /// Seals the gates, so that they open once all members have ended.
    pub(super) async fn seal(&self, storage: &dyn Storage) -> Result<(), Failed> {
        for gate in 0..self.gates {
            let sealed = storage.change(&queue(), &waiting(gate), Event::Seal, &Policy::default()).await?;
            require(matches!(sealed, Changed::Done(_)), || format!("not sealed: {sealed:?}"))?;
        }
        Ok(())
    }

    fn job(&self, number: u64) -> NewJob {
        let fails = number % FAILS_ONE_IN == FAILS_ONE_IN - 1;
        let id = JobId::new(format!("job-{number:08}")).expect("digits are allowed");
        let job = new(id, if fails { FAILS } else { COMPLETES }, number);
        if self.gates == 0 {
            return job;
        }
        // Neighbours go to one gate, so that it is not always the kind that fails which does.
        let to = waiting(number / FAILS_ONE_IN % self.gates);
        job.with_end_signals([EndSignal { raises: true, ..EndSignal::to(to) }])
    }
}

/// All records are kept, since records of members are. A job may lose any number of workers: among
/// a million some lose several.
fn new(id: JobId, kind: &'static str, number: u64) -> NewJob {
    let payload =
        Payload::new(format!("{:?}", payload_text(number)), ContentType::from_static("application/json"));
    NewJob::new(id, Kind::from_static(kind), payload)
        .with_retention(Retention::Forever)
        .with_max_stalls(Budget::Unlimited)
}

async fn store(storage: &dyn Storage, jobs: Vec<NewJob>) -> Result<(), Failed> {
    let groups = jobs.into_iter().map(|job| vec![job]).collect();
    let answers = storage.enqueue(&queue(), groups).await?.value;
    let other = answers.into_iter().flatten().find(|answer| !matches!(answer, Enqueued::Queued { .. }));
    require(other.is_none(), || format!("a new job was answered {other:?}"))
}
