//! The jobs of a run: members, the jobs that wait for them, and plain ones.

use crate::{
    failed::{Failed, require},
    many::{FAILS_ONE_IN, QUEUE, WAITS, kept_job, numbered_job, store},
};
use queue::{
    JobId, Storage,
    queue_core::{
        Changed, EndSignal, NewGate, NewJob, QueueName, StorageExt,
        lifecycle::{Event, Policy},
    },
};
use std::ops::Range;

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
        let wait = |gate| kept_job(waiting(gate), WAITS, 0).with_gate(NewGate::default());
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
        let job = numbered_job(number);
        if self.gates == 0 {
            return job;
        }
        // Neighbours go to one gate, so that it is not always the kind that fails which does.
        let to = waiting(number / FAILS_ONE_IN % self.gates);
        job.with_end_signals([EndSignal { raises: true, ..EndSignal::to(to) }])
    }
}
