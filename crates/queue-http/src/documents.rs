//! The documents of calls, checked for a face that makes the same changes in this process.

use crate::{
    limits::ServiceLimits,
    problem::Problem,
    verbs::{enqueue::checked_job, schedules::ScheduleIn},
    wire::{NewJobIn, document},
};
use queue::{Raw, schedules::Schedule};
use queue_core::{IdSource, Kind, Limits, NewJob};

/// Why a document is refused: in the words of the answer of `/v1`, which begin with the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidDocument(String);

/// The job of this document, checked as `POST /v1/queues/{queue}/jobs` checks one of its jobs. It
/// writes nothing.
///
/// ```
/// use queue_core::{Limits, TimeOrderedIds};
///
/// let ids = TimeOrderedIds::default();
/// let checked = |json: &str| queue_http::checked_job_document(json.as_bytes(), &ids, &Limits::default());
/// assert_eq!(checked(r#"{"kind": "mail", "payload": 1}"#)?.kind.as_str(), "mail");
/// let refused = checked(r#"{"kind": ""}"#).unwrap_err();
/// assert!(refused.to_string().starts_with("kind: "));
/// # Ok::<(), queue_http::InvalidDocument>(())
/// ```
///
/// # Errors
/// What is wrong with the first field that is wrong.
pub fn checked_job_document(
    json: &[u8],
    ids: &dyn IdSource,
    limits: &Limits,
) -> Result<NewJob, InvalidDocument> {
    let job: NewJobIn<'_> = document(json, ServiceLimits::default().json_depth_max)?;
    Ok(checked_job(job, None, ids, limits)?)
}

/// The kind of the jobs and the schedule of this document, checked as
/// `PUT /v1/queues/{queue}/schedules/{schedule}` checks it. It writes nothing.
///
/// # Errors
/// What is wrong with the first field that is wrong.
pub fn checked_schedule_document(
    name: &str,
    json: &[u8],
    ids: &dyn IdSource,
    limits: &Limits,
) -> Result<(Kind, Schedule<Raw>), InvalidDocument> {
    let service = ServiceLimits::default();
    let schedule: ScheduleIn<'_> = document(json, service.json_depth_max)?;
    Ok(schedule.checked(name, ids, limits, &service)?)
}

impl From<Problem> for InvalidDocument {
    fn from(problem: Problem) -> Self {
        Self(problem.detail().to_owned())
    }
}
