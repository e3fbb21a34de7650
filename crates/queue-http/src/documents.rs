//! The documents of calls, checked for a face that makes the same changes in this process.

use crate::{
    limits::ServiceLimits,
    problem::Problem,
    verbs::{enqueue::checked_job, schedules::ScheduleIn},
    wire::{NewJobIn, RequestRules, document},
};
use queue::schedules::ScheduleSpec;
use queue_core::{IdSource, Limits, NewJob};

/// Why a document is refused: in the words of the answer of `/v1`, which begin with the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidDocument(String);

/// The job of this document, checked as `POST /v1/queues/{queue}/jobs` of a service with these
/// limits checks one of its jobs, before a store with those limits. It writes nothing.
///
/// ```
/// use queue_core::{Limits, TimeOrderedIds};
/// use queue_http::{ServiceLimits, checked_job_document};
///
/// let ids = TimeOrderedIds::default();
/// let (store, service) = (Limits::default(), ServiceLimits::default());
/// let checked = |json: &str| checked_job_document(json.as_bytes(), &ids, &store, &service);
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
    store: &Limits,
    service: &ServiceLimits,
) -> Result<NewJob, InvalidDocument> {
    let job: NewJobIn<'_> = document(json)?;
    Ok(checked_job(job, None, &RequestRules { ids, store, service })?)
}

/// The schedule of this document, checked as `PUT /v1/queues/{queue}/schedules/{schedule}` of a
/// service with these limits checks it, before a store with those limits. It writes nothing.
///
/// ```
/// use queue_core::{Limits, TimeOrderedIds};
/// use queue_http::{ServiceLimits, checked_schedule_document};
///
/// let ids = TimeOrderedIds::default();
/// let (store, service) = (Limits::default(), ServiceLimits::default());
/// let json = br#"{"every_ms": 60000, "job": {"kind": "report"}}"#;
/// let minutely = checked_schedule_document("minutely", json, &ids, &store, &service)?;
/// assert_eq!(minutely.job.kind(), "report");
/// # Ok::<(), queue_http::InvalidDocument>(())
/// ```
///
/// # Errors
/// What is wrong with the first field that is wrong.
pub fn checked_schedule_document(
    name: &str,
    json: &[u8],
    ids: &dyn IdSource,
    store: &Limits,
    service: &ServiceLimits,
) -> Result<ScheduleSpec, InvalidDocument> {
    let schedule: ScheduleIn<'_> = document(json)?;
    Ok(schedule.checked(name, &RequestRules { ids, store, service })?)
}

impl From<Problem> for InvalidDocument {
    fn from(problem: Problem) -> Self {
        Self(problem.detail().to_owned())
    }
}
