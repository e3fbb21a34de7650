use crate::{ContentType, Failure, JobId, JobMeta, Kind, NewJob, Payload, Reason, lifecycle::Finish};
use serde::{Deserialize, Serialize};

/// What the job gets that [follows a final failure](NewJob::on_failure): which job failed, and why. The failed record itself,
/// with its payload, can be read by its id for as long as it is retained.
///
/// Always JSON, whatever codec the application has, since it is made in the step that ends the job, which may be taken by a
/// worker that knows no codec. An idea of Sidekiq's death handlers and Celery's `link_error`; unlike those it is enqueued
/// in the same atomic step as the failure, so that neither is without the other.
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
    /// Why it failed for good, as [`Reason::as_str`].
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
    /// The id of the job that follows: one for each time that the job fails for good, so that one that was redriven and
    /// failed again has another.
    ///
    /// # Panics
    /// Never: two numbers and a prefix are a valid id.
    pub fn follow_up_id(job: &JobMeta) -> JobId {
        let id = format!("on-failure@{}.{}", job.seq.get(), job.epoch);
        JobId::new(id).expect("two numbers and a prefix are a valid id")
    }

    /// The job that follows, if this one's producer asked for one.
    pub(crate) fn follow_up(job: &JobMeta, finish: &Finish) -> Option<NewJob> {
        let kind = job.on_failure.as_ref()?;
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
