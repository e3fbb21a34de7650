//! One job: its command, and the settle of its outcome.

use super::{
    RemoteWorker,
    heartbeat::millis,
    held::HeldJob,
    outcome,
    protocol::{ClaimedJson, ItemsBody, result},
};
use crate::commands::workers::work::started_job::{AttemptEnd, StartedJob};
use queue::{Payload, Rng, SystemRng};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long outcomes are sent once the worker has killed its commands, at the end of its grace.
const LAST_SETTLES: Duration = Duration::from_secs(5);

/// How a job ended for this worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobEnd {
    Completed,
    Failing,
    Failed,
    Released,
    Cancelled,
    Lost,
    Abandoned,
}

impl RemoteWorker<'_> {
    /// Runs the command for a job and settles it. A job that comes while the worker stops, or after
    /// its lease, goes back unstarted.
    pub(super) async fn run_job(&self, job: ClaimedJson, granted_at: Instant) -> JobEnd {
        let holding = self.held.hold(&job, granted_at);
        let held = &holding.job;
        let (event, error, is_killed) = if self.stop.is_cancelled() || !held.may_start() {
            (json!({"release": {}}), None, false)
        } else {
            self.tell(None, &json!({"event": "started", "id": job.id, "seq": job.seq, "error": null}));
            let ended = self.attempt(&job, held).await;
            let is_killed = matches!(ended, Err(AttemptEnd::Killed));
            let (event, error) = self.event(&job, ended);
            (event, error, is_killed)
        };
        // The work of a command that has ended is done: the service says whether another has the
        // job by now.
        let end = if is_killed && held.is_lost() { JobEnd::Lost } else { self.settle(held, event).await };
        self.tell_end(&job, end, error.as_ref());
        end
    }

    async fn attempt(&self, job: &ClaimedJson, held: &HeldJob) -> Result<Payload, AttemptEnd> {
        let payload = job.payload().ok_or_else(|| {
            AttemptEnd::failed("Payload", "the payload of the service's answer cannot be read")
        })?;
        let started = StartedJob { id: job.id.clone(), kind: job.kind.clone(), attempt: job.attempt };
        let limit = job.time_limit_ms.map(Duration::from_millis).or(self.args.time_limit);
        let stopped = async {
            match limit {
                Some(limit) => drop(timeout(limit, held.stop.cancelled()).await),
                None => held.stop.cancelled().await,
            }
        };
        let ended = self.exec.run(&payload, &started, stopped).await;
        let is_overdue = !held.stop.is_cancelled() && !self.exec.kill.is_cancelled();
        match (ended, limit) {
            (Err(AttemptEnd::Killed), Some(limit)) if is_overdue => {
                Err(AttemptEnd::failed("TimeLimit", format!("the command ran longer than {limit:?}")))
            }
            (ended, _) => ended,
        }
    }

    /// What a settle says of an attempt, and what people are told of a failure.
    fn event(&self, job: &ClaimedJson, ended: Result<Payload, AttemptEnd>) -> (Value, Option<Value>) {
        match ended {
            Ok(payload) => (json!({"complete": result(&payload)}), None),
            Err(AttemptEnd::Snoozed(wait)) => (json!({"snooze": {"delay_ms": millis(wait)}}), None),
            Err(AttemptEnd::Killed) => (json!({"interrupt": {}}), None),
            Err(AttemptEnd::Failed { name, message, is_terminal }) => {
                let error = json!({"name": name, "message": message});
                let event = if is_terminal {
                    json!({"fail": {"error": &error, "cause": "terminal"}})
                } else {
                    json!({"fail": {"error": &error, "delay_ms": millis(self.retry_wait(job.attempt))}})
                };
                (event, Some(error))
            }
        }
    }

    /// Twice as long for each attempt, and up to a quarter shorter.
    fn retry_wait(&self, attempt: u32) -> Duration {
        let doubled = 1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        let whole = self.args.retry_wait.saturating_mul(doubled).min(self.args.retry_wait_max);
        let part = (SystemRng.next_u64() % 1024) as u32;
        whole.saturating_sub(whole / 4 * part / 1024)
    }

    /// Sends the outcome until the service has given its verdict, or the worker must end.
    async fn settle(&self, held: &HeldJob, event: Value) -> JobEnd {
        let send = async |event: &Value| {
            let mut item = event.clone();
            item["receipt"] = json!(held.receipt);
            let body = ItemsBody { worker: None, items: vec![item] };
            self.calls.post("/v1/settle", &body, Duration::ZERO).await
        };
        tokio::select! {
            biased;
            end = outcome::settle(event, send, |words| self.warn(words)) => end,
            () = self.last_settles() => JobEnd::Abandoned,
        }
    }

    /// The end of the time for settles, once the worker has killed its commands.
    async fn last_settles(&self) {
        self.exec.kill.cancelled().await;
        sleep(LAST_SETTLES).await;
    }

    fn tell_end(&self, job: &ClaimedJson, end: JobEnd, error: Option<&Value>) {
        let why = error.map_or_else(String::new, |error| {
            let text = |name| error[name].as_str().unwrap_or_default();
            format!(": {}: {}", text("name"), text("message"))
        });
        let id = &job.id;
        let (name, words) = match end {
            JobEnd::Completed => ("completed", None),
            JobEnd::Failing => ("failing", Some(format!("retrying {id} after attempt {}{why}", job.attempt))),
            JobEnd::Failed => ("failed", Some(format!("failed {id}{why}"))),
            JobEnd::Released => ("released", None),
            JobEnd::Cancelled => ("cancelled", Some(format!("cancelled {id}"))),
            JobEnd::Lost => ("lease_lost", Some(format!("lost {id} to another worker"))),
            JobEnd::Abandoned => {
                ("abandoned", Some(format!("could not store the outcome of {id}; it will run again")))
            }
        };
        self.tell(words, &json!({"event": name, "id": id, "seq": job.seq, "error": error}));
    }
}
