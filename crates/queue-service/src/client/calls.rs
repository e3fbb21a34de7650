//! One call: JSON out, and what its answer is.

use crate::ServiceError;
use bytes::Bytes;
use queue_remote::ServiceClient;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// Sends calls, each once.
#[derive(Debug)]
pub(crate) struct Calls(ServiceClient);

impl Calls {
    pub(crate) fn new(client: ServiceClient) -> Self {
        Self(client)
    }

    /// Sends a call once. The service may `wait` on purpose. A dropped future closes the
    /// connection.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: impl Into<Bytes>,
        wait: Duration,
    ) -> Result<T, ServiceError> {
        let answer = self.0.post(path, body.into(), wait).await?;
        judged(answer.status, &answer.media_type, &answer.body)
    }

    /// Puts, once.
    pub(crate) async fn put<T: DeserializeOwned>(
        &self,
        path: &str,
        body: impl Into<Bytes>,
    ) -> Result<T, ServiceError> {
        let answer = self.0.put(path, body.into()).await?;
        judged(answer.status, &answer.media_type, &answer.body)
    }

    /// Reads, once.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ServiceError> {
        let answer = self.0.get(path).await?;
        judged(answer.status, &answer.media_type, &answer.body)
    }
}

/// What an answer is: a success if it is JSON of the shape that the call asks for, what a problem
/// document of a known kind says, or else the page of something before the service. Such a page
/// does not say whether the call was carried out.
pub(super) fn judged<T: DeserializeOwned>(
    status: u16,
    media_type: &str,
    body: &[u8],
) -> Result<T, ServiceError> {
    let foreign = || ServiceError::foreign(status, media_type);
    match (status, media_type) {
        (200..300, "application/json") => serde_json::from_slice(body).map_err(|_| foreign()),
        (400.., "application/problem+json") => Err(ServiceError::of_document(body).unwrap_or_else(foreign)),
        _ => Err(foreign()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProblemKind;
    use serde::Deserialize;
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
            assert_eq!(
                (error.kind(), error.is_unknown()),
                (ProblemKind::Unavailable, true),
                "{status} {body}"
            );
        }
    }

    #[test]
    fn a_problem_of_the_service_is_taken_at_its_word() {
        let body = br#"{"kind": "not_found", "certainty": "not_applied", "detail": "no such queue"}"#;
        let error = judged::<Jobs>(404, "application/problem+json", body).expect_err("a problem");
        assert_eq!((error.kind(), error.is_unknown()), (ProblemKind::NotFound, false));
        assert_eq!(error.message(), "no such queue");
    }
}
