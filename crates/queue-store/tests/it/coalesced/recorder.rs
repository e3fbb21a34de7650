//! A store that only records the calls that reach it, and lets them pass on command.

use queue_core::{
    Applied, ClaimRequest, Claimed, ClaimedJob, Detail, Enqueued, Error, JobId, JobMeta, JobRecord, Limits,
    Moment, NewJob, QueueName, Result, Seq, Stamped, Timestamp,
    lifecycle::{Patch, TrackedJob, Transition, lease},
};
use queue_store::BatchVerbs;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering::SeqCst},
};
use tokio::sync::Semaphore;

/// One call as it reached the store: its queue, if it has one, and the ids in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Enqueue(String, Vec<String>),
    Settle(Vec<String>),
    Heartbeat(Vec<String>),
    Get(Vec<String>),
    /// The workers of its requests.
    Claim(Vec<String>),
}

/// A handle; clones share everything.
#[derive(Clone, Debug)]
pub(crate) struct Recorder(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: Limits,
    /// How many claims of a queue go side by side.
    claims_beside: usize,
    calls: Mutex<Vec<Call>>,
    /// One permit per call that reached the store.
    entered: Semaphore,
    /// Shut until it has a permit. Heartbeats pass a shut gate.
    gate: Semaphore,
    /// Permits of the gate, each of which lets one call pass.
    passes: AtomicUsize,
    script: Mutex<Script>,
}

/// What goes wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// The answer to every call.
    pub(crate) error: Option<Error>,
    /// A call that contains this id is refused as invalid.
    pub(crate) refused_id: Option<&'static str>,
    /// The number of answers that are missing at the end of a call.
    pub(crate) answers_missing: usize,
}

impl Recorder {
    /// A recorder that holds every call until [`Self::open`].
    pub(crate) fn gated(limits: Limits) -> Self {
        Self::gated_beside(limits, 1)
    }

    /// The same with several claims of a queue side by side.
    pub(crate) fn gated_beside(limits: Limits, claims_beside: usize) -> Self {
        let (calls, script, passes) = Default::default();
        let (entered, gate) = (Semaphore::new(0), Semaphore::new(0));
        Self(Arc::new(Shared { limits, claims_beside, calls, entered, gate, passes, script }))
    }

    pub(crate) fn script(&self, script: Script) {
        *self.0.script.lock().expect("no test panics with it") = script;
    }

    /// Lets all calls pass, present and future.
    pub(crate) fn open(&self) {
        self.0.gate.add_permits(1);
    }

    /// Lets one call pass.
    pub(crate) fn open_once(&self) {
        self.0.passes.fetch_add(1, SeqCst);
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
        let permit = self.0.gate.acquire().await.expect("it is never closed");
        let is_last = self.0.passes.fetch_update(SeqCst, SeqCst, |passes| passes.checked_sub(1)).is_ok();
        if is_last {
            permit.forget();
        } else {
            drop(permit);
        }
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

/// An answer that identifies its job: the number at the end of the id.
fn answer_to(job: &NewJob) -> Enqueued {
    let digits = job.id.as_str().trim_start_matches(|c: char| !c.is_ascii_digit());
    Enqueued::Queued { seq: Seq::new(digits.parse().unwrap_or(0)) }
}

fn jobs_for(request: &ClaimRequest) -> Claimed {
    let moment = Moment::at(Timestamp::from_millis(5));
    let held = |n: usize| {
        let new = crate::coalesced::setup::job(&format!("{}-{n}", request.worker));
        let meta = JobMeta::begin(request.queue.clone(), &new, Seq::new(n as u64 + 1), moment.now);
        let mut job = TrackedJob::new(meta);
        lease(&mut job, request, moment.now);
        ClaimedJob { record: JobRecord { meta: job.meta, body: None }, token: request.token }
    };
    Claimed { jobs: (0..request.limit).map(held).collect(), ..Claimed::none(None, moment) }
}

impl BatchVerbs for Recorder {
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

    fn claims_beside(&self) -> usize {
        self.0.claims_beside
    }

    /// Answers as many jobs as each request asks for, named after its worker.
    async fn claim(&self, requests: Vec<ClaimRequest>) -> Result<Vec<Claimed>> {
        let workers: Vec<String> = requests.iter().map(|request| request.worker.to_string()).collect();
        let script = self.note(Call::Claim(workers.clone()));
        self.pass(&script, &workers).await?;
        let left_out = script.answers_missing.min(requests.len() - 1);
        let answered = &requests[..requests.len() - left_out];
        Ok(answered.iter().map(jobs_for).collect())
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

    /// Answers that no job exists.
    async fn get(&self, _: &QueueName, ids: &[JobId], _: Detail) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let script = self.note(Call::Get(names.clone()));
        self.pass(&script, &names).await?;
        Ok(stamped(ids.iter().map(|_| None).collect(), script.answers_missing))
    }
}
