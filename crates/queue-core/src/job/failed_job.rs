//! The payload of the follow-up of a job that failed for good.

use crate::{ContentType, Failure, JobId, JobMeta, Kind, NewJob, Payload, Reason, lifecycle::Finish};
use serde::{Deserialize, Serialize};

/// The payload of the job that [follows a final failure](crate::JobTerms::on_failure): which job
/// failed, and why. The failed record itself, with its payload, can be read by its id for as long
/// as it is retained.
///
/// The payload is JSON under every codec of the application, since it is made in the step that ends
/// the job, and the worker of that step may not know the codec. The idea is that of Sidekiq's death
/// handlers and Celery's `link_error`. Unlike those, the job is enqueued in the same atomic step as
/// the failure, so that neither is stored without the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailedJob {
    /// The id of the failed job, in the same queue.
    pub id: String,
    /// The life that failed; a redrive keeps it.
    pub seq: u64,
    /// How often it had been claimed.
    pub epoch: u64,
    /// Its kind.
    pub kind: String,
    /// The reason of the failure, as [`Reason::as_str`].
    pub reason: String,
    /// The name of its last error.
    pub error_name: String,
    /// The message of its last error.
    pub error_message: String,
    /// Attempts that failed.
    pub failures: u32,
    /// Leases that lapsed.
    pub stalls: u32,
}

impl FailedJob {
    /// The id of the job that follows. It differs for each time that the job fails for good, so
    /// that a job that was redriven and failed again has a new follow-up.
    #[expect(clippy::missing_panics_doc, reason = "two numbers and a prefix are a valid id")]
    pub fn follow_up_id(job: &JobMeta) -> JobId {
        let id = format!("on-failure@{}.{}", job.seq.get(), job.epoch);
        JobId::new(id).expect("two numbers and a prefix are a valid id")
    }

    /// The job that follows, if the producer of `job` asked for one.
    pub(crate) fn follow_up(job: &JobMeta, finish: &Finish) -> Option<NewJob> {
        let kind = job.terms.on_failure.as_ref()?;
        let error = finish.error.as_ref();
        let failed = Self {
            id: job.id.as_str().to_owned(),
            seq: job.seq.get(),
            epoch: job.epoch,
            kind: job.kind.as_str().to_owned(),
            reason: finish.reason.map_or("", Reason::as_str).to_owned(),
            error_name: error.map_or("", Failure::name).to_owned(),
            error_message: error.map_or("", Failure::message).to_owned(),
            failures: finish.failures,
            stalls: finish.stalls,
        };
        let bytes = serde_json::to_vec(&failed).expect("text and numbers are JSON");
        let payload = Payload::new(bytes, ContentType::from_static("application/json"));
        Some(NewJob::new(Self::follow_up_id(job), Kind::clone(kind), payload))
    }
}

#[cfg(test)]
mod tests {
    use super::FailedJob;
    use crate::{
        Failure, JobId, JobMeta, Kind, LeaseToken, NewJob, Payload, QueueName, Seq, State, Timestamp,
        lifecycle::{Cause, Event, Policy, decide},
    };

    fn followed(message: &str) -> (JobMeta, NewJob) {
        let payload = Payload::new("in", crate::ContentType::from_static("text/plain"));
        let new = NewJob::new(JobId::from_static("a"), Kind::from_static("mail"), payload)
            .with_priority(7)
            .awaited()
            .with_on_failure(Kind::from_static("mourn"));
        let meta = JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(8), Timestamp::default());
        let held = JobMeta { state: State::Processing, epoch: 3, failures: 1, stalls: 2, ..meta };
        let token = LeaseToken::from_bytes([1; 16]);
        let cause = Cause::Terminal;
        let failure = Failure::new("Refused", message);
        let event = Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() };
        let mut decided = decide(&held, event, &Policy::default()).expect("it is held");
        (held, decided.then.pop().expect("it is followed"))
    }

    #[test]
    fn it_tells_which_job_failed_and_why_and_is_a_plain_job_itself() {
        let (held, new) = followed("they said \"no\"\n");
        let found: FailedJob = serde_json::from_slice(&new.payload.bytes).expect("it is JSON");
        let expected = FailedJob {
            id: "a".into(),
            seq: 8,
            epoch: 3,
            kind: "mail".into(),
            reason: "terminal".into(),
            error_name: "Refused".into(),
            error_message: Failure::new("", "they said \"no\"\n").message().to_owned(),
            failures: 2,
            stalls: 2,
        };
        assert_eq!(found, expected);
        let plain =
            NewJob::new(FailedJob::follow_up_id(&held), Kind::from_static("mourn"), new.payload.clone());
        assert_eq!(new, plain);
        assert_eq!(new.payload.content_type.as_str(), "application/json");
    }

    /// As a step of an older or newer library wrote it.
    #[test]
    fn a_document_with_more_fields_is_read() {
        let (_, new) = followed("no");
        let mut document: serde_json::Value = serde_json::from_slice(&new.payload.bytes).expect("it is JSON");
        document["later"] = 1.into();
        assert!(serde_json::from_value::<FailedJob>(document).is_ok());
    }

    #[test]
    fn the_longest_names_and_numbers_make_a_valid_id() {
        let (held, _) = followed("no");
        let last = JobMeta { seq: Seq::new(u64::MAX), epoch: u64::MAX, ..held };
        assert!(FailedJob::follow_up_id(&last).as_str().len() < 255);
    }
}
