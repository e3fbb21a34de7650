//! The handle, and the calls that are no verbs of a store.

use super::{
    answers::{ChangesJson, Ended, OutcomeJson},
    call_error::{of_call, unreadable},
    job_json::state,
    listing::escaped,
};
use crate::{ProblemKind, client::Calls};
use queue_core::{
    Error, ErrorKind, JobId, QueueName, Result, Seq, Span, State, Timestamp, lifecycle::OnProcessing,
};
use queue_remote::{RemoteOptions, ServiceClient};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Between two waits, if the service answered early.
const PAUSE: Duration = Duration::from_millis(200);
/// The id that a question for the time names. Whether there is such a job does not matter.
const ANY_ID: &str = "-";

/// The jobs of a service, with a token that need not have the scope `store`.
///
/// Enqueues need the scope `produce`, and so do waits. Reads need `view`, the bodies of jobs
/// `payload` too, and cancels and changes of limits need `operate`. A call whose scope the token
/// lacks is `Invalid`, and the message names the scope. Every other verb of
/// [`Storage`](queue_core::Storage) is `Unsupported`.
///
/// Store time is taken to be the clock of the store, since the service does not tell both. Series,
/// hints and imports are not offered.
#[derive(Debug)]
pub struct ServiceStore {
    pub(super) calls: Calls,
    pub(super) limits: LimitsJson,
    /// Why the store itself cannot be used.
    pub(super) reason: String,
}

/// How a change of a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Changed {
    /// The job is changed, or is cancelled by an earlier request.
    Done,
    /// The job runs, and its worker is asked to stop it.
    Requested,
    /// The job is not changed in this state.
    NotAllowed(State),
    /// There is no such job.
    Missing,
}

/// What the service accepts.
#[derive(Debug, Deserialize)]
pub(super) struct LimitsJson {
    pub(super) jobs_per_call_max: usize,
    pub(super) payload_bytes_max: usize,
    pub(super) note_bytes_max: usize,
    /// A service that is too old to say so has none.
    #[serde(default)]
    pub(super) partitions: bool,
    wait_ms_max: u64,
}

#[derive(Debug, Deserialize)]
struct NowJson {
    now_ms: i64,
}

impl ServiceStore {
    /// Asks the service for its limits, which needs no scope. `reason` says in the errors of verbs
    /// that need the store itself why this program cannot use it.
    ///
    /// # Errors
    /// `Invalid` for a token that cannot be read or would go unencrypted over a network, and
    /// `Unavailable` without an answer.
    pub async fn open(options: RemoteOptions, reason: impl Into<String>) -> Result<Self> {
        let calls = Calls::new(ServiceClient::open(options).await?);
        let limits = calls.get("/v1/limits").await.map_err(of_call("open"))?;
        Ok(Self { calls, limits, reason: reason.into() })
    }

    /// Waits for the outcome of a job, of the life that has the id or of the one that is named. The
    /// answer comes at the latest after `timeout` and one call; with zero it says how the job
    /// stands. Needs the scope `produce`.
    ///
    /// # Errors
    /// `Invalid` without the scope, and `Unavailable` without an answer. A dropped future leaves
    /// nothing behind.
    pub async fn outcome(
        &self,
        queue: &QueueName,
        id: &JobId,
        life: Option<Seq>,
        timeout: Duration,
    ) -> Result<Ended> {
        let deadline = Instant::now() + timeout.min(Span::MAX.as_duration());
        let path = Self::path(queue, "/jobs:wait");
        let mut life = life.map(Seq::get);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = left.min(Duration::from_millis(self.limits.wait_ms_max));
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            let body = json!({"id": id.as_str(), "seq": life, "wait_ms": wait_ms}).to_string();
            let answer: OutcomeJson = self.calls.post(&path, body, wait).await.map_err(of_call("wait"))?;
            let ended = answer.ended()?;
            if !matches!(ended, Ended::Pending { .. }) || Instant::now() >= deadline || wait_ms == 0 {
                return Ok(ended);
            }
            life = life.or(answer.seq);
            sleep(PAUSE.min(deadline.saturating_duration_since(Instant::now()))).await;
        }
    }

    /// Cancels a job. Needs the scope `operate`.
    ///
    /// # Errors
    /// `Invalid` without the scope, `Conflict` if the record kept changing, and `Unavailable`
    /// without an answer. A dropped future leaves the job cancelled or not.
    pub async fn cancel(&self, queue: &QueueName, id: &JobId, processing: OnProcessing) -> Result<Changed> {
        let is_request = processing == OnProcessing::Request;
        let word = if is_request { "request" } else { "leave" };
        let changed = self.change(queue, id, "cancel", json!({"processing": word})).await?;
        Ok(match changed {
            Changed::NotAllowed(State::Cancelled) => Changed::Done,
            // An earlier request is the only reason for which a request changes nothing here.
            Changed::NotAllowed(State::Processing) if is_request => Changed::Requested,
            changed => changed,
        })
    }

    /// Runs a failed or cancelled job again. Needs the scope `operate`.
    ///
    /// # Errors
    /// The errors of [`cancel`](Self::cancel). A dropped future leaves the job changed or not.
    pub async fn redrive(&self, queue: &QueueName, id: &JobId) -> Result<Changed> {
        self.change(queue, id, "redrive", json!({})).await
    }

    /// Makes a job that waits for its time due now. Needs the scope `operate`.
    ///
    /// # Errors
    /// The errors of [`redrive`](Self::redrive).
    pub async fn promote(&self, queue: &QueueName, id: &JobId) -> Result<Changed> {
        self.change(queue, id, "promote", json!({})).await
    }

    /// Removes a job that does not run. Needs the scope `operate`.
    ///
    /// # Errors
    /// The errors of [`redrive`](Self::redrive).
    pub async fn delete(&self, queue: &QueueName, id: &JobId) -> Result<Changed> {
        self.change(queue, id, "delete", json!({})).await
    }

    async fn change(
        &self,
        queue: &QueueName,
        id: &JobId,
        verb: &'static str,
        mut body: Value,
    ) -> Result<Changed> {
        body["ids"] = json!([id.as_str()]);
        let path = Self::path(queue, &format!("/jobs:{verb}"));
        let answer = self.calls.post(&path, body.to_string(), Duration::ZERO).await;
        let answer: ChangesJson = answer.map_err(of_call(verb))?;
        let item = answer.items.first().ok_or_else(|| unreadable(verb, "nothing"))?;
        let state = item.state.as_deref().map(state).transpose()?;
        match (item.outcome.as_str(), state) {
            ("done", _) => Ok(Changed::Done),
            ("requested", _) => Ok(Changed::Requested),
            ("unchanged", Some(state)) => Ok(Changed::NotAllowed(state)),
            ("missing", _) => Ok(Changed::Missing),
            ("conflict", _) => Err(Error::new(ErrorKind::Conflict, verb, "the job kept changing; try again")),
            (other, _) => Err(unreadable(verb, other)),
        }
    }

    /// Store time. A viewer asks by a read, and a producer by a wait of no length.
    pub(super) async fn now(&self, queue: &QueueName) -> Result<Timestamp> {
        let (read, wait) = (Self::path(queue, "/jobs:get"), Self::path(queue, "/jobs:wait"));
        let body = json!({"ids": [ANY_ID]}).to_string();
        let answer: NowJson = match self.calls.post(&read, body, Duration::ZERO).await {
            Err(refused) if refused.kind() == ProblemKind::Forbidden => {
                let body = json!({"id": ANY_ID}).to_string();
                let waited = self.calls.post(&wait, body, Duration::ZERO).await;
                // Most callers that ask for the time go on to read.
                waited.map_err(|_| of_call("get")(refused))?
            }
            answered => answered.map_err(of_call("get"))?,
        };
        Ok(Timestamp::from_millis(answer.now_ms))
    }

    /// A path of a queue.
    pub(super) fn path(queue: &QueueName, rest: &str) -> String {
        format!("/v1/queues/{}{rest}", escaped(queue.as_str()))
    }

    /// The error of a verb that needs the store itself.
    pub(super) fn needs_store(&self, operation: &'static str) -> Error {
        let message = format!("this needs direct use of the store: {}", self.reason);
        Error::new(ErrorKind::Unsupported, operation, message)
    }
}
