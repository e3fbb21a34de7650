//! A job as the documents of the service have it, and its metadata.

use super::call_error::unreadable;
use queue_core::{
    Attempt, AttemptOutcome, Budget, ContentType, Failure, Gate, JobAttempts, JobId, JobMeta, JobTerms, Kind,
    LeaseInfo, NewJob, Partition, Payload, QueueName, Reason, Result, Retention, RetentionPolicy, Seq,
    Signalling, Span, State, Tag, Tags, Tally, Timestamp, WorkerId,
};
use serde::Deserialize;
use serde_json::Value;

const VERB: &str = "get";

/// A `JobView` of `queue-view`, with what `JobDetails` adds.
#[derive(Debug, Deserialize)]
pub(super) struct JobJson {
    now_ms: Option<i64>,
    queue: String,
    id: String,
    seq: u64,
    revision: u64,
    kind: String,
    tags: Vec<String>,
    partition: Option<String>,
    state: String,
    priority: i16,
    failures: u32,
    stalls: u32,
    time_limit_ms: Option<i64>,
    max_attempts: Value,
    max_stalls: Value,
    keep_completed: Value,
    keep_failed: Value,
    on_failure: Option<String>,
    epoch: u64,
    created_at_ms: i64,
    run_at_ms: i64,
    claimed_at_ms: Option<i64>,
    failed_at_ms: Option<i64>,
    finished_at_ms: Option<i64>,
    purge_at_ms: Option<i64>,
    expires_at_ms: Option<i64>,
    cancel_requested: bool,
    awaited: bool,
    reason: Option<String>,
    error: Option<ErrorJson>,
    worker: Option<String>,
    lease_expires_at_ms: Option<i64>,
    gate: Option<GateJson>,
    #[serde(default)]
    attempt_log: Vec<AttemptJson>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorJson {
    pub(super) name: String,
    pub(super) message: String,
}

#[derive(Debug, Deserialize)]
struct GateJson {
    needs: u64,
    signals: u64,
    completed: u64,
    failed: u64,
    cancelled: u64,
    sealed: bool,
    closed: bool,
}

#[derive(Debug, Deserialize)]
struct AttemptJson {
    epoch: u64,
    worker: String,
    claimed_at_ms: i64,
    ended_at_ms: i64,
    outcome: String,
    error: ErrorJson,
}

impl JobJson {
    /// When the document of a single job was read.
    pub(super) fn now(&self) -> Timestamp {
        at(self.now_ms.unwrap_or_default())
    }

    /// The metadata that the document is about. What it does not show has its default: the
    /// progress, which is for readers of payloads, and end signals.
    ///
    /// # Errors
    /// `Invalid` and `Corrupt` for a part that no service of this version writes.
    pub(super) fn meta(&self) -> Result<JobMeta> {
        let tags = self.tags.iter().map(Tag::new).collect::<Result<Vec<_>, _>>()?;
        let payload = Payload::new("", ContentType::from_static("application/octet-stream"));
        let job = NewJob::new(JobId::new(&self.id)?, Kind::new(&self.kind)?, payload)
            .with_tags(Tags::new(tags)?)
            .with_priority(self.priority);
        let partition = self.partition.as_ref().map(Partition::new).transpose()?;
        let job = NewJob { terms: self.terms()?.into(), awaited: self.awaited, partition, ..job };
        let created_at = at(self.created_at_ms);
        let begun = JobMeta::begin(QueueName::new(&self.queue)?, &job, Seq::new(self.seq), created_at);
        Ok(JobMeta {
            revision: self.revision,
            run_at: at(self.run_at_ms),
            state: state(&self.state)?,
            reason: self.reason.as_deref().map(reason).transpose()?,
            epoch: self.epoch,
            failures: self.failures,
            stalls: self.stalls,
            // An expiry that was lifted is not shown.
            expires_in: self.expires_at_ms.map(|expiry| at(expiry).since(created_at)).map(span),
            lease: self.lease()?,
            claimed_at: self.claimed_at_ms.map(at),
            cancel_requested: self.cancel_requested,
            last_error: self.error.as_ref().map(|error| Failure::new(&error.name, &error.message)),
            failed_at: self.failed_at_ms.map(at),
            finished_at: self.finished_at_ms.map(at),
            purge_at: self.purge_at_ms.map(at),
            gate: self.gate.as_ref().map(|gate| Box::new(gate.gate(self.epoch))),
            signalling: Signalling::None,
            ..begun
        })
    }

    /// The metadata and the attempts.
    ///
    /// # Errors
    /// The errors of [`meta`](Self::meta).
    pub(super) fn attempts(&self) -> Result<JobAttempts> {
        let attempts = self.attempt_log.iter().map(AttemptJson::attempt).collect::<Result<_>>()?;
        Ok(JobAttempts { meta: self.meta()?, attempts })
    }

    fn terms(&self) -> Result<JobTerms> {
        Ok(JobTerms {
            max_attempts: budget(&self.max_attempts)?,
            max_stalls: budget(&self.max_stalls)?,
            time_limit: self.time_limit_ms.map(Span::from_millis),
            on_failure: self.on_failure.as_ref().map(Kind::new).transpose()?,
            retention: RetentionPolicy {
                completed: retention(&self.keep_completed)?,
                failed: retention(&self.keep_failed)?,
            },
            ..JobTerms::default()
        })
    }

    fn lease(&self) -> Result<Option<LeaseInfo>> {
        let (Some(worker), Some(expires_at)) = (&self.worker, self.lease_expires_at_ms) else {
            return Ok(None);
        };
        Ok(Some(LeaseInfo { worker: WorkerId::new(worker)?, expires_at: at(expires_at) }))
    }
}

impl GateJson {
    fn gate(&self, epoch: u64) -> Gate {
        let Self { needs, signals, completed, failed, cancelled, sealed, closed } = *self;
        Gate {
            needs,
            signals,
            tally: Tally { completed, failed, cancelled },
            is_sealed: sealed,
            closed_at: closed.then_some(epoch),
            ..Gate::default()
        }
    }
}

impl AttemptJson {
    fn attempt(&self) -> Result<Attempt> {
        let known = AttemptOutcome::ALL.into_iter().find(|outcome| outcome.as_str() == self.outcome);
        Ok(Attempt {
            epoch: self.epoch,
            worker: WorkerId::new(&self.worker)?,
            claimed_at: at(self.claimed_at_ms),
            ended_at: at(self.ended_at_ms),
            outcome: known.ok_or_else(|| unreadable(VERB, &self.outcome))?,
            error_name: self.error.name.clone(),
            error_message: self.error.message.clone(),
        })
    }
}

pub(super) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

pub(super) fn state(name: &str) -> Result<State> {
    State::ALL.into_iter().find(|state| state.as_str() == name).ok_or_else(|| unreadable(VERB, name))
}

pub(super) fn reason(name: &str) -> Result<Reason> {
    Reason::ALL.into_iter().find(|reason| reason.as_str() == name).ok_or_else(|| unreadable(VERB, name))
}

fn span(length: std::time::Duration) -> Span {
    Span::at_most(length)
}

/// A number, or `unlimited`.
fn budget(value: &Value) -> Result<Budget> {
    match (value.as_u64().and_then(|number| u32::try_from(number).ok()), value.as_str()) {
        (Some(number), _) => Ok(Budget::from_raw(number)),
        (None, Some("unlimited")) => Ok(Budget::Unlimited),
        _ => Err(unreadable(VERB, &value.to_string())),
    }
}

/// Milliseconds, `forever` or `nothing`.
fn retention(value: &Value) -> Result<Retention> {
    match (value.as_i64(), value.as_str()) {
        (Some(millis), _) => Ok(Retention::Keep(Span::from_millis(millis))),
        (None, Some("forever")) => Ok(Retention::Forever),
        (None, Some("nothing")) => Ok(Retention::Remove),
        _ => Err(unreadable(VERB, &value.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_view::{JobDetails, JobPauses, JobReading};

    /// A job with every field that the document has.
    fn rich() -> JobMeta {
        let payload = Payload::new("", ContentType::from_static("x/y"));
        let terms = JobTerms {
            max_attempts: Budget::Unlimited,
            max_stalls: Budget::from_raw(2),
            time_limit: Some(Span::from_secs(5)),
            on_failure: Some(Kind::from_static("mourn")),
            retention: RetentionPolicy { completed: Retention::Forever, failed: Retention::Remove },
            ..JobTerms::default()
        };
        let new = NewJob::new(JobId::from_static("a"), Kind::from_static("k"), payload)
            .with_tags(Tags::new([Tag::new("t").unwrap()]).unwrap())
            .with_partition(Partition::from_static("acme"))
            .with_priority(-4);
        let new = NewJob { terms: terms.into(), expires_in: Some(Span::from_secs(60)), ..new };
        let begun = JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(7), at(1_000));
        let gate = Gate { needs: 3, signals: 1, is_sealed: true, closed_at: Some(9), ..Gate::default() };
        JobMeta {
            revision: 5,
            state: State::Processing,
            epoch: 9,
            failures: 2,
            stalls: 1,
            lease: Some(LeaseInfo { worker: WorkerId::from_static("w"), expires_at: at(9_000) }),
            claimed_at: Some(at(3_000)),
            cancel_requested: true,
            awaited: true,
            last_error: Some(Failure::new("Smtp", "later")),
            failed_at: Some(at(2_000)),
            gate: Some(Box::new(gate)),
            ..begun
        }
    }

    fn ended(state: State, reason: Option<Reason>) -> JobMeta {
        JobMeta {
            state,
            reason,
            lease: None,
            finished_at: Some(at(4_000)),
            purge_at: Some(at(90_000)),
            ..rich()
        }
    }

    #[test]
    fn a_job_that_was_read_is_shown_as_the_same_document_again() {
        let waits = JobMeta { state: State::Failing, lease: None, run_at: at(8_000), ..rich() };
        let failed = ended(State::Failed, Some(Reason::Exhausted));
        for meta in [rich(), waits, failed, ended(State::Completed, None)] {
            let attempt = Attempt {
                epoch: 8,
                worker: WorkerId::from_static("w"),
                claimed_at: at(1_500),
                ended_at: at(2_000),
                outcome: AttemptOutcome::Stalled,
                error_name: "Stalled".to_owned(),
                error_message: "its worker died".to_owned(),
            };
            let (now, pauses, attempts) = (at(5_000), JobPauses::default(), Some(vec![attempt]));
            let reading = JobReading { meta, now, attempts, pauses, slot_wait: None, body: None };
            let shown = serde_json::json!(JobDetails::of(&reading));
            let read: JobJson = serde_json::from_value(shown.clone()).unwrap();
            let JobAttempts { meta, attempts } = read.attempts().unwrap();
            let again = JobReading { meta, now: read.now(), attempts: Some(attempts), ..reading };
            assert_eq!(serde_json::json!(JobDetails::of(&again)), shown);
        }
    }

    #[test]
    fn words_of_another_version_are_an_error() {
        assert!(state("asleep").is_err() && reason("bored").is_err());
        assert!(budget(&serde_json::json!("many")).is_err() && retention(&serde_json::json!(1.5)).is_err());
    }
}
