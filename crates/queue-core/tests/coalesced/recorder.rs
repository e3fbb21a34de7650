//! A store that keeps nothing but a record of the calls that reached it, and lets them pass when told to.

use queue_core::{
    Applied, Batched, Detail, Enqueued, Error, JobId, JobRecord, Limits, Moment, NewJob, QueueName, Result,
    Seq, Stamped, Timestamp,
    lifecycle::{Patch, Transition},
};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// One call as it reached the store: its queue, if it has one, and the ids in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Enqueue(String, Vec<String>),
    Settle(Vec<String>),
    Heartbeat(Vec<String>),
    Get(Vec<String>),
}

/// A handle; clones share everything.
#[derive(Clone, Debug)]
pub(crate) struct Recorder(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: Limits,
    calls: Mutex<Vec<Call>>,
    /// One permit per call that reached the store.
    entered: Semaphore,
    /// Shut until it has a permit. Heartbeats pass all the same.
    gate: Semaphore,
    script: Mutex<Script>,
}

/// What goes wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// Every call is answered so.
    pub(crate) error: Option<Error>,
    /// A call with this id in it is refused as invalid.
    pub(crate) refused_id: Option<&'static str>,
    /// Answers that are left out at the end of a call.
    pub(crate) answers_missing: usize,
}

impl Recorder {
    /// Holds every call until [`Self::open`].
    pub(crate) fn gated(limits: Limits) -> Self {
        let (calls, script) = Default::default();
        let (entered, gate) = (Semaphore::new(0), Semaphore::new(0));
        Self(Arc::new(Shared { limits, calls, entered, gate, script }))
    }

    pub(crate) fn script(&self, script: Script) {
        *self.0.script.lock().expect("no test panics with it") = script;
    }

    /// Answers every call, present or future.
    pub(crate) fn open(&self) {
        self.0.gate.add_permits(1);
    }

    /// Waits until one more call has reached the store.
    pub(crate) async fn entered(&self) {
        self.0.entered.acquire().await.expect("it is never closed").forget();
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.0.calls.lock().expect("no test panics with it").clone()
    }

    fn note(&self, call: Call) -> Script {
        self.0.calls.lock().expect("no test panics with it").push(call);
        self.0.entered.add_permits(1);
        self.0.script.lock().expect("no test panics with it").clone()
    }

    async fn pass(&self, script: &Script, ids: &[String]) -> Result<()> {
        drop(self.0.gate.acquire().await.expect("it is never closed"));
        if script.refused_id.is_some_and(|refused| ids.iter().any(|id| id == refused)) {
            return Err(Error::invalid("recorder", "refused by script"));
        }
        script.error.clone().map_or(Ok(()), Err)
    }
}

fn stamped<T>(mut value: Vec<T>, missing: usize) -> Stamped<Vec<T>> {
    value.truncate(value.len().saturating_sub(missing));
    Stamped::at(Moment::at(Timestamp::from_millis(5)), value)
}

/// An answer that tells whose it is: the number at the end of the id.
fn answer_to(job: &NewJob) -> Enqueued {
    let digits = job.id.as_str().trim_start_matches(|c: char| !c.is_ascii_digit());
    Enqueued::Queued { seq: Seq::new(digits.parse().unwrap_or(0)) }
}

impl Batched for Recorder {
    fn limits(&self) -> Limits {
        self.0.limits
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        let ids: Vec<String> = groups.iter().flatten().map(|job| job.id.to_string()).collect();
        let script = self.note(Call::Enqueue(queue.to_string(), ids.clone()));
        self.pass(&script, &ids).await?;
        let answers = groups.iter().map(|group| group.iter().map(answer_to).collect()).collect();
        Ok(stamped(answers, script.answers_missing))
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        let ids: Vec<String> = batch.iter().map(|transition| transition.id.to_string()).collect();
        let answers = ids.iter().map(|_| Applied::Missing).collect();
        if batch.iter().all(|transition| matches!(transition.patch, Patch::Extend { .. })) {
            self.note(Call::Heartbeat(ids));
            return Ok(stamped(answers, 0));
        }
        let script = self.note(Call::Settle(ids.clone()));
        self.pass(&script, &ids).await?;
        Ok(stamped(answers, script.answers_missing))
    }

    /// There are no jobs.
    async fn get(&self, _: &QueueName, ids: &[JobId], _: Detail) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let script = self.note(Call::Get(names.clone()));
        self.pass(&script, &names).await?;
        Ok(stamped(ids.iter().map(|_| None).collect(), script.answers_missing))
    }
}
