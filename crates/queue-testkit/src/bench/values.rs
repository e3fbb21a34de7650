//! Values that cases share.

use queue_core::{
    Budget, ContentType, Enqueued, Failure, Headers, JobId, Kind, NewJob, Payload, Retention, RetryPolicy,
    Seq, Span, Tag, Tags, WorkerId,
    lifecycle::{Policy, Unhandled},
};

/// The usual length of a lease.
pub(crate) const LEASE: Span = Span::from_secs(30);
/// The wait after a failure.
pub(crate) const RETRY: Span = Span::from_secs(1);
/// The wait after a second stall.
pub(crate) const STALL: Span = Span::from_secs(10);
/// The usual retention of terminal records.
pub(crate) const KEPT: Span = Span::from_secs(3600);
/// The usual budget of failures, and of stalls.
const THREE: Budget = Budget::from_raw(3);
/// The finest step of store time.
pub(crate) const MILLI: Span = Span::from_millis(1);

/// The life that holds the id after an enqueue.
pub(crate) fn life(answer: &Enqueued) -> Seq {
    answer.seq().expect("the job is stored, or a record holds its id")
}

pub(crate) fn id(text: &str) -> JobId {
    JobId::new(text).expect("a valid id")
}

/// The id of job number `n`; ids sort as the numbers do.
pub(crate) fn nth(n: usize) -> JobId {
    id(&format!("job-{n:05}"))
}

/// A job whose payload contains its id.
pub(crate) fn job(text: &str) -> NewJob {
    job_with(text, text_payload(&format!("payload of {text}")))
}

/// A job with its own payload, three attempts and three stalls; it is kept for [`KEPT`] after any
/// outcome.
pub(crate) fn job_with(text: &str, payload: Payload) -> NewJob {
    NewJob::new(id(text), Kind::from_static("email"), payload)
        .with_max_attempts(THREE)
        .with_max_stalls(THREE)
        .with_retention(Retention::Keep(KEPT))
}

pub(crate) fn jobs(n: usize) -> Vec<NewJob> {
    (0..n).map(|n| job(nth(n).as_str())).collect()
}

pub(crate) fn tags(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Tags {
    Tags::new(texts.into_iter().map(|text| Tag::new(text).expect("a valid tag"))).expect("few tags")
}

pub(crate) fn headers<'h>(entries: impl IntoIterator<Item = (&'h str, &'h str)>) -> Headers {
    Headers::new(entries).expect("valid headers")
}

pub(crate) fn text_payload(text: &str) -> Payload {
    Payload::new(text.to_owned(), ContentType::from_static("text/plain"))
}

pub(crate) fn bytes_payload(bytes: impl Into<bytes::Bytes>) -> Payload {
    Payload::new(bytes, ContentType::from_static("application/octet-stream"))
}

/// The failure that the helpers report.
pub(crate) fn failure() -> Failure {
    Failure::new("Timeout", "no answer")
}

pub(crate) fn worker(text: &str) -> WorkerId {
    WorkerId::new(text).expect("a valid worker id")
}

/// Fixed waits, so that cases know the due times.
pub(crate) fn policy() -> Policy {
    let fixed = |wait: Span| RetryPolicy::Fixed(wait.as_duration());
    Policy::default().retry(fixed(RETRY)).stall(fixed(STALL)).unknown_kind(Unhandled::Fail)
}
