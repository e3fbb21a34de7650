//! What every task of a workload has: its store, its random choices, and its way to repeat calls.

use super::{Params, dice::Dice, pace::Pace, partitions::some_partition};
use crate::{
    fault::FaultStore,
    history::{Recorded, Recorder},
};
use queue_core::{
    ContentType, EndSignal, Error, JobId, Kind, NewJob, OnWaiting, Payload, QueueName, Result, RetryPolicy,
    Storage,
    lifecycle::{Policy, Unhandled},
};
use std::sync::Arc;
use std::time::Duration;

/// The most repeats of a call after a transient error.
const RESENDS_MAX: usize = 6;
/// The ids of jobs with gates that all tasks use.
const GATE_IDS: usize = 6;
/// One in this many payloads is larger than what a store keeps beside its index.
const LARGE_EVERY: usize = 8;
const LARGE_BYTES: usize = 2_000;

/// The state of a task of a workload.
#[derive(Debug)]
pub(super) struct Actor {
    pub(super) name: String,
    pub(super) store: Recorded<FaultStore<dyn Storage>>,
    pub(super) recorder: Arc<Recorder>,
    pub(super) pace: Pace,
    pub(super) dice: Dice,
    pub(super) queue: QueueName,
    pub(super) params: Params,
    pub(super) policy: Policy,
}

impl Actor {
    /// Waits are short, so that a run of few steps sees retries.
    pub(super) fn policy() -> Policy {
        let (retry, stall) =
            (RetryPolicy::Fixed(Duration::from_millis(30)), RetryPolicy::Fixed(Duration::from_millis(60)));
        Policy::default().retry(retry).stall(stall).unknown_kind(Unhandled::Fail)
    }

    /// Lets other tasks run, a few times or not at all.
    pub(super) async fn pause(&self) {
        self.pace.pause(self.dice.below(4)).await;
    }

    /// One of the ids that all tasks use.
    pub(super) fn shared_id(&self) -> JobId {
        let number = self.dice.below(self.params.shared_ids);
        JobId::new(format!("shared-{number}")).expect("a valid id")
    }

    /// Whether jobs have gates and end signals.
    pub(super) fn has_gates(&self) -> bool {
        self.store.capabilities().limits.gates
    }

    /// Whether jobs have partitions.
    pub(super) fn has_partitions(&self) -> bool {
        self.store.capabilities().limits.partitions
    }

    /// One of the ids of jobs with gates that all tasks use.
    pub(super) fn gate_id(&self) -> JobId {
        let number = self.dice.below(GATE_IDS);
        JobId::new(format!("gate-{number}")).expect("a valid id")
    }

    /// Makes a job signal its end to these jobs, which is mostly one.
    pub(super) fn signalling(&self, job: NewJob, to: impl IntoIterator<Item = JobId>) -> NewJob {
        let mut signals: Vec<EndSignal> = Vec::new();
        for to in to.into_iter().filter(|to| *to != job.id) {
            if signals.iter().all(|signal| signal.to != to) {
                let (raises, tolerant) = (!self.dice.one_in(4), self.dice.one_in(4));
                let urgent = self.dice.one_in(4);
                signals.push(EndSignal { raises, tolerant, urgent, ..EndSignal::to(to) });
            }
        }
        job.with_on_waiting(OnWaiting::Block).with_end_signals(signals)
    }

    /// A job whose payload no other enqueue has.
    pub(super) fn job(&self, id: JobId, number: usize) -> NewJob {
        let mut text = format!("{} {number}", self.name);
        if number.is_multiple_of(LARGE_EVERY) {
            text += &"x".repeat(LARGE_BYTES);
        }
        some_partition(self, NewJob::new(id, Kind::unnamed(), payload(text)))
    }

    /// Repeats a call until it is answered, fails for good, or has been sent often enough.
    pub(super) async fn insist<T, F>(&self, send: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let mut outcome = send().await;
        for _ in 0..RESENDS_MAX {
            match &outcome {
                Err(error) if error.is_transient() => self.pause().await,
                _ => break,
            }
            outcome = send().await;
        }
        outcome
    }
}

pub(super) fn payload(text: String) -> Payload {
    Payload::new(text, ContentType::from_static("text/plain"))
}

/// The answer, if there is one. Injected faults and races are part of the workload; any other error
/// is a bug of the store.
pub(super) fn expected<T>(outcome: Result<T>) -> Option<T> {
    let is_expected = |error: &Error| error.is_transient();
    match outcome {
        Ok(answer) => Some(answer),
        Err(error) if is_expected(&error) => None,
        Err(error) => panic!("the store failed: {error}"),
    }
}
