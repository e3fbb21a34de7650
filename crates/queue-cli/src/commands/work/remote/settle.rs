//! One job: its command, and the settle of its outcome.

use super::{
    RemoteWorker,
    calls::Backoff,
    heartbeat::millis,
    held::HeldJob,
    protocol::{ClaimedJson, ItemAnswer, ItemsAnswer, ItemsBody, result},
};
use crate::commands::work::started_job::{AttemptEnd, StartedJob};
use queue::{Payload, Rng, SystemRng};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// How long after the end of a lease an outcome is still sent again: nobody else may have claimed
/// the job since.
const LATE_MAX: Duration = Duration::from_mins(1);
const TOO_LARGE: u16 = 413;

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

    /// Sends the outcome until the service has answered, or the lease is long gone.
    async fn settle(&self, held: &HeldJob, event: Value) -> JobEnd {
        let (mut event, mut backoff, mut is_resent) = (event, Backoff::new(), false);
        loop {
            let mut item = event.clone();
            item["receipt"] = json!(held.receipt);
            let body = ItemsBody { worker: None, items: vec![item] };
            let answered = self.calls.post::<ItemsAnswer>("/v1/settle", &body, Duration::ZERO).await;
            let wait = match answered.map(|answer| answer.items.into_iter().next()) {
                Ok(Some(item)) => match judged(&item) {
                    // The sending that had no answer may have removed the job.
                    Judged::End(JobEnd::Lost) if is_resent && item.outcome == "missing" => {
                        return if event["complete"].is_null() { JobEnd::Failed } else { JobEnd::Completed };
                    }
                    Judged::End(end) => return end,
                    Judged::Again => backoff.next(),
                    Judged::TooLarge => {
                        let error = json!({"name": "ResultTooLarge", "message": item.refusal()});
                        event = json!({"fail": {"error": error, "cause": "terminal"}});
                        continue;
                    }
                    Judged::Refused => {
                        self.warn(&format!("an outcome was refused: {}", item.refusal()));
                        return JobEnd::Abandoned;
                    }
                },
                Ok(None) => return JobEnd::Abandoned,
                Err(error) if error.may_be_mended() => {
                    is_resent |= error.is_unknown;
                    backoff.after(&error)
                }
                Err(error) => {
                    self.warn(&error.message);
                    return JobEnd::Abandoned;
                }
            };
            if Instant::now() + wait > held.expires_at() + LATE_MAX {
                return JobEnd::Abandoned;
            }
            sleep(wait).await;
        }
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

/// What an answer to a settle means.
enum Judged {
    End(JobEnd),
    Again,
    TooLarge,
    Refused,
}

fn judged(item: &ItemAnswer) -> Judged {
    Judged::End(match (item.outcome.as_str(), item.state.as_deref()) {
        ("done", Some("completed")) => JobEnd::Completed,
        ("done", Some("failing")) => JobEnd::Failing,
        ("done", Some("failed")) => JobEnd::Failed,
        ("done", Some("cancelled")) => JobEnd::Cancelled,
        ("done", _) => JobEnd::Released,
        ("lease_lost" | "missing", _) => JobEnd::Lost,
        ("conflict", _) => return Judged::Again,
        _ if item.problem.as_ref().is_some_and(|problem| problem.kind.is_temporary()) => {
            return Judged::Again;
        }
        _ if item.problem.as_ref().is_some_and(|problem| problem.status == TOO_LARGE) => {
            return Judged::TooLarge;
        }
        _ => return Judged::Refused,
    })
}
