//! Makes job metadata and records for tests.

use queue_core::{
    Clock, Headers, JobBody, JobId, JobMeta, JobRecord, Kind, ManualClock, NewJob, Payload, QueueName, Seq,
};
use queue_serde::{CodecContext, Encode, Json, Role};

/// Metadata of a queued job, for code that takes metadata. Its fields are public: change those that
/// the test is about.
///
/// ```
/// use queue::{State, testing::job_meta};
///
/// let failed = queue::JobMeta { state: State::Failed, failures: 3, ..job_meta("welcome-ada") };
/// assert_eq!(failed.attempts_made(), 3);
/// ```
///
/// # Panics
/// If the id is not valid.
pub fn job_meta(id: &str) -> JobMeta {
    begin(id, Payload::new("null", queue_serde::Codec::content_type(&Json)))
}

/// A queued job with a JSON payload.
///
/// # Panics
/// If the id is not valid, or JSON cannot hold the payload.
pub fn job_record(id: &str, payload: &impl Encode) -> JobRecord {
    let meta = job_meta(id);
    let payload =
        payload.encode(&Json, &CodecContext::of(&meta, Role::Payload)).expect("JSON holds the payload");
    let body = JobBody {
        payload: payload.clone(),
        headers: Headers::NONE,
        result: None,
        error_details: None,
        end_signals: Vec::new(),
    };
    JobRecord { meta: begin(id, payload), body: Some(body) }
}

fn begin(id: &str, payload: Payload) -> JobMeta {
    let id = JobId::new(id).expect("the id is valid");
    let new = NewJob::new(id, Kind::unnamed(), payload);
    JobMeta::begin(QueueName::from_static("test"), &new, Seq::new(1), ManualClock::default().now())
}
