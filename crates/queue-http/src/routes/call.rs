//! A call on its way to its handler, and the answer.

use crate::{
    access::{Principal, Scope},
    problem::{Problem, ProblemKind, Result},
    wire::document,
};
use axum::{
    extract::Query,
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use queue_core::{JobId, QueueName};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A call that may be made, with its whole body.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) principal: Option<Principal>,
    pub(crate) params: Vec<(String, String)>,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Call {
    /// The caller.
    pub(crate) fn principal(&self) -> Result<&Principal> {
        self.principal
            .as_ref()
            .ok_or_else(|| Problem::new(ProblemKind::Unauthorized, "the request has no token"))
    }

    /// A part of the path.
    pub(crate) fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The queue of the path.
    pub(crate) fn queue(&self) -> Result<QueueName> {
        let name = self.param("queue").unwrap_or_default();
        QueueName::new(name).map_err(|invalid| Problem::from(invalid).at("queue"))
    }

    /// The queue of the path, unless it belongs to the library.
    pub(crate) fn open_queue(&self) -> Result<QueueName> {
        let queue = self.queue()?;
        check_open(&queue)?;
        Ok(queue)
    }

    /// The job id of the path.
    pub(crate) fn id(&self) -> Result<JobId> {
        let id = self.param("id").unwrap_or_default();
        JobId::new(id).map_err(|invalid| Problem::from(invalid).at("id"))
    }

    /// Whether the caller also has this scope in this queue.
    pub(crate) fn may(&self, scope: Scope, queue: &QueueName) -> bool {
        self.principal.as_ref().is_some_and(|principal| principal.may(scope, queue))
    }

    /// Whether the caller knows of all queues.
    pub(crate) fn sees_all(&self) -> bool {
        self.principal.as_ref().is_some_and(Principal::sees_all)
    }

    /// The body, which borrows its text from the call. Where an object is expected, nothing else is
    /// taken.
    pub(crate) fn json<'a, T: Deserialize<'a>>(&'a self) -> Result<T> {
        document(&self.body)
    }

    /// The parameters behind the question mark.
    pub(crate) fn query<T: DeserializeOwned>(&self) -> Result<T> {
        let parsed = Query::try_from_uri(&self.uri);
        parsed.map(|Query(query)| query).map_err(|error| Problem::invalid(error.body_text()))
    }
}

/// Refuses a queue of the library itself.
pub(crate) fn check_open(queue: &QueueName) -> Result<()> {
    queue.check_open().map_err(|reserved| Problem::invalid(reserved.to_string()))
}

/// An answer of JSON.
pub(crate) fn answer(status: StatusCode, value: &impl Serialize) -> Result<Response> {
    let body = serde_json::to_vec(value).map_err(|error| Problem::unwritable(&error))?;
    Ok(with_type(status, body))
}

fn with_type(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
