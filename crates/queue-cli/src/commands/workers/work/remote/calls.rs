//! Calls of the service: what is sent again, and how an answer that is a problem reads.

use crate::exit::{CliError, Exit};
use bytes::Bytes;
use queue::{Certainty, Rng, SystemRng};
use queue_remote::ServiceClient;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::time::Duration;

/// Waits between two attempts double from the first to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The longest wait that an answer can ask for.
const ASKED_MAX: Duration = Duration::from_mins(1);

pub(super) struct Calls(ServiceClient);

/// Why a call has no answer that can be used.
#[derive(Debug)]
pub(super) struct CallError {
    pub(super) kind: ProblemKind,
    pub(super) message: String,
    /// It may have been carried out.
    pub(super) is_unknown: bool,
    pub(super) retry_after: Option<Duration>,
}

/// What the caller should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProblemKind {
    Invalid,
    Unauthorized,
    Forbidden,
    NotFound,
    Conflict,
    TooMany,
    Unsupported,
    Unavailable,
    Closed,
    Corrupt,
    Internal,
}

impl ProblemKind {
    pub(super) const fn is_temporary(self) -> bool {
        matches!(self, Self::Conflict | Self::TooMany | Self::Unavailable | Self::Closed)
    }
}

/// A problem as the service tells it.
#[derive(Debug, Deserialize)]
struct Problem {
    kind: ProblemKind,
    #[serde(default)]
    detail: String,
    #[serde(default)]
    certainty: String,
    retry_after_ms: Option<u64>,
}

impl Calls {
    pub(super) fn new(client: ServiceClient) -> Self {
        Self(client)
    }

    /// Sends a call once. The service may `wait` on purpose.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        wait: Duration,
    ) -> Result<T, CallError> {
        let body = serde_json::to_vec(body).map_err(|error| CallError::ours(error.to_string()))?;
        let answer = self.0.post(path, Bytes::from(body), wait).await?;
        judged(answer.status, &answer.media_type, &answer.body)
    }
}

/// What an answer is: a success if it is JSON of the shape that the call asks for, what a problem
/// document of a known kind says, or else the page of something before the service. Such a page
/// says nothing about what became of the call.
fn judged<T: DeserializeOwned>(status: u16, media_type: &str, body: &[u8]) -> Result<T, CallError> {
    match (status, media_type) {
        (200..300, "application/json") => {
            serde_json::from_slice(body).map_err(|_| CallError::foreign(status, media_type))
        }
        (400.., "application/problem+json") => Err(match serde_json::from_slice::<Problem>(body) {
            Ok(problem) => problem.into(),
            Err(_) => CallError::foreign(status, media_type),
        }),
        _ => Err(CallError::foreign(status, media_type)),
    }
}

impl CallError {
    fn ours(message: String) -> Self {
        Self { kind: ProblemKind::Internal, message, is_unknown: false, retry_after: None }
    }

    fn foreign(status: u16, media_type: &str) -> Self {
        let media_type = if media_type.is_empty() { "no content type" } else { media_type };
        let message = format!("what answered with the status {status} and {media_type} is not the service");
        Self { kind: ProblemKind::Unavailable, message, is_unknown: true, retry_after: None }
    }

    /// Whether the same call may succeed later.
    pub(super) fn is_temporary(&self) -> bool {
        self.kind.is_temporary()
    }

    /// The same, also for damage and bugs, which somebody may mend while the worker goes on.
    pub(super) fn may_be_mended(&self) -> bool {
        self.is_temporary() || matches!(self.kind, ProblemKind::Corrupt | ProblemKind::Internal)
    }
}

impl From<Problem> for CallError {
    fn from(problem: Problem) -> Self {
        Self {
            kind: problem.kind,
            message: problem.detail,
            is_unknown: problem.certainty != "not_applied",
            retry_after: problem.retry_after_ms.map(Duration::from_millis),
        }
    }
}

impl From<queue::Error> for CallError {
    fn from(error: queue::Error) -> Self {
        let kind = match error.kind() {
            queue::ErrorKind::Invalid => ProblemKind::Invalid,
            _ => ProblemKind::Unavailable,
        };
        let is_unknown = error.certainty() == Certainty::Unknown;
        Self { kind, message: error.message().to_owned(), is_unknown, retry_after: None }
    }
}

impl From<CallError> for CliError {
    fn from(error: CallError) -> Self {
        let exit = match error.kind {
            ProblemKind::Invalid
            | ProblemKind::Unauthorized
            | ProblemKind::Forbidden
            | ProblemKind::NotFound => Exit::Invalid,
            ProblemKind::Corrupt | ProblemKind::Unsupported => Exit::Unusable,
            ProblemKind::Internal => Exit::Bug,
            _ => Exit::Unavailable,
        };
        Self::new(exit, error.message)
    }
}

/// Waits that double, each at random between half of itself and the whole.
#[derive(Debug)]
pub(super) struct Backoff(Duration);

impl Backoff {
    pub(super) const fn new() -> Self {
        Self(FIRST_WAIT)
    }

    /// How long to wait now, at least as long as the service asks for.
    pub(super) fn after(&mut self, error: &CallError) -> Duration {
        self.next().max(error.retry_after.unwrap_or_default().min(ASKED_MAX))
    }

    /// How long to wait now.
    pub(super) fn next(&mut self) -> Duration {
        let whole = self.0;
        self.0 = (self.0 * 2).min(LONGEST_WAIT);
        let part = (SystemRng.next_u64() % 1024) as u32;
        whole / 2 + whole / 2 * part / 1024
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const PAGE: &str = "<!DOCTYPE html><title>We will be back soon</title>";

    #[derive(Debug, Deserialize)]
    struct Jobs {
        #[expect(dead_code, reason = "its shape is what counts")]
        jobs: Vec<Value>,
    }

    #[test]
    fn what_is_not_from_the_service_says_nothing_about_the_call() {
        let json =
            ["", PAGE, "null", "[]", "{}", "{\"jobs\": 7}"].map(|body| (200, "application/json", body));
        let problems = ["", PAGE, "{}", "{\"kind\": \"outage\"}"];
        let problems = problems.map(|body| (400, "application/problem+json", body));
        let pages =
            [200, 302, 400, 401, 403, 404, 405, 413, 421, 429, 502].map(|status| (status, "text/html", PAGE));
        let more = [
            (404, "application/json", "{\"kind\": \"not_found\"}"),
            (200, "application/problem+json", "{\"kind\": \"invalid\"}"),
            (200, "text/html", "{\"jobs\": []}"),
            (204, "", ""),
        ];
        for (status, media_type, body) in json.into_iter().chain(problems).chain(pages).chain(more) {
            let error = judged::<Jobs>(status, media_type, body.as_bytes()).expect_err(body);
            assert_eq!((error.kind, error.is_unknown), (ProblemKind::Unavailable, true), "{status} {body}");
        }
    }

    #[test]
    fn a_problem_of_the_service_is_taken_at_its_word() {
        let body = br#"{"kind": "not_found", "certainty": "not_applied", "detail": "no such queue"}"#;
        let error = judged::<Jobs>(404, "application/problem+json", body).expect_err("a problem");
        assert_eq!((error.kind, error.is_unknown), (ProblemKind::NotFound, false));
        assert_eq!(error.message, "no such queue");
    }
}
