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
    /// Also every kind that is not known here.
    #[serde(other)]
    Internal,
}

/// A problem as the service tells it.
#[derive(Debug, Deserialize)]
struct Problem {
    kind: ProblemKind,
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
        if (200..300).contains(&answer.status) {
            return serde_json::from_slice(&answer.body).map_err(|error| CallError {
                kind: ProblemKind::Unavailable,
                message: format!("what answers is no service of jobs: {error}"),
                is_unknown: true,
                retry_after: None,
            });
        }
        Err(CallError::of(answer.status, &answer.body))
    }
}

impl CallError {
    fn ours(message: String) -> Self {
        Self { kind: ProblemKind::Internal, message, is_unknown: false, retry_after: None }
    }

    fn of(status: u16, body: &[u8]) -> Self {
        let Ok(problem) = serde_json::from_slice::<Problem>(body) else {
            // Something before the service answered, such as a proxy with a page of its own.
            let kind = match status {
                401 => ProblemKind::Unauthorized,
                403 => ProblemKind::Forbidden,
                429 => ProblemKind::TooMany,
                408 | 500.. => ProblemKind::Unavailable,
                _ => ProblemKind::Invalid,
            };
            let message = format!("the answer has the status {status} and does not come from the service");
            return Self { kind, message, is_unknown: true, retry_after: None };
        };
        Self {
            kind: problem.kind,
            message: problem.detail,
            is_unknown: problem.certainty != "not_applied",
            retry_after: problem.retry_after_ms.map(Duration::from_millis),
        }
    }

    /// Whether the same call may succeed later.
    pub(super) fn is_temporary(&self) -> bool {
        matches!(
            self.kind,
            ProblemKind::Conflict | ProblemKind::TooMany | ProblemKind::Unavailable | ProblemKind::Closed
        )
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
        let whole = self.0;
        self.0 = (self.0 * 2).min(LONGEST_WAIT);
        let part = (SystemRng.next_u64() % 1024) as u32;
        let wait = whole / 2 + whole / 2 * part / 1024;
        wait.max(error.retry_after.unwrap_or_default())
    }
}
