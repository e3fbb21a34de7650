//! Sends a verb, and reads its answer.

use super::{
    connections::Connections,
    error::{StoreForbidden, cut, foreign, lost, mismatch, refused, silent, unreadable},
    problem::{detail, is_problem, says_a_kind},
    progress::Progress,
    token::Token,
    upload::Upload,
};
use crate::{
    contract::{CONTENT_TYPE, CONTRACT, PATH, Verb, fingerprint},
    endpoint::Endpoint,
    options::RemoteOptions,
    wire::{ErrorReport, decode, encode},
};
use bytes::{Bytes, BytesMut};
use http::{
    HeaderMap, HeaderValue, Request, Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE as CONTENT_TYPE_HEADER},
};
use http_body::Body;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use queue_core::{Error, ErrorKind, Result};
use std::time::Duration;

/// The largest answer that is read. Bounded answers have 16 MiB; a page of ten thousand jobs with
/// the longest notes has ten times that.
const ANSWER_BYTES_MAX: usize = 512 << 20;
const TOO_LARGE: &str = "the answer is too large";
/// The most that is reserved for an answer because its header says so.
const RESERVE_MAX: usize = 1 << 20;

/// Sends the calls of a handle.
#[derive(Debug)]
pub(crate) struct Caller {
    connections: Connections,
    endpoint: Endpoint,
    token: Option<Token>,
    contract: HeaderValue,
}

/// The body of a stream of hints.
pub(crate) type ListenedBody = Incoming;

impl Caller {
    pub(crate) async fn new(options: &RemoteOptions) -> Result<Self> {
        let token = Token::read(options.token.clone()).await?;
        let (endpoint, connections) = (options.endpoint.clone(), Connections::new(options));
        let contract = HeaderValue::try_from(fingerprint()).expect("digits are a header");
        Ok(Self { connections, endpoint, token, contract })
    }

    /// One request and its answer; nothing is repeated after it may have arrived.
    ///
    /// Dropping the future closes the connection, by which the server ends the call.
    pub(crate) async fn call<V: Verb>(&self, request: &V::Request, silence: Duration) -> Result<V::Answer> {
        let response = self.send(V::NAME, encode(request), silence).await?;
        let answer = collect(V::NAME, response.into_body(), silence).await?;
        decode(answer).map_err(|malformed| unreadable(V::NAME, malformed))
    }

    /// The same for an answer without end: the body as it comes, once the server has begun it.
    pub(crate) async fn listen<V: Verb>(
        &self,
        request: &V::Request,
        silence: Duration,
    ) -> Result<ListenedBody> {
        self.send(V::NAME, encode(request), silence).await.map(Response::into_body)
    }

    /// The answer of a verb that went well.
    async fn send(&self, verb: &'static str, body: Bytes, silence: Duration) -> Result<Response<Incoming>> {
        let token = self.token.as_ref().map(Token::header);
        let mut response = self.try_send(verb, body.clone(), token.as_ref(), silence).await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let (Some(file), Some(token)) = (&self.token, &token)
            && file.renew(token).await
        {
            // A refused request has changed nothing, so it may be sent again.
            response = self.try_send(verb, body, Some(&file.header()), silence).await?;
        }
        if let Some(error) = mismatch(verb, response.headers()) {
            let was_refused = response.status() == StatusCode::PRECONDITION_FAILED;
            return Err(if was_refused { error } else { error.unknown() });
        }
        let is_of_store = is_of_store(response.headers());
        match response.status() {
            StatusCode::OK if is_of_store => Ok(response),
            _ if is_of_store => {
                let report = collect(verb, response.into_body(), silence).await?;
                let report: ErrorReport = decode(report).map_err(|malformed| unreadable(verb, malformed))?;
                Err(report.into_error(verb))
            }
            status => {
                let is_problem = is_problem(response.headers());
                let body = collect(verb, response.into_body(), silence).await?;
                if !is_problem || !says_a_kind(&body) {
                    return Err(foreign(verb, &self.endpoint, status, self.token.is_some()));
                }
                match detail(&body).filter(|_| status == StatusCode::FORBIDDEN) {
                    Some(reason) => Err(StoreForbidden::error(verb, &self.endpoint, reason)),
                    None => Err(refused(verb, &self.endpoint, status, self.token.is_some())),
                }
            }
        }
    }

    async fn try_send(
        &self,
        verb: &'static str,
        body: Bytes,
        token: Option<&HeaderValue>,
        silence: Duration,
    ) -> Result<Response<Incoming>> {
        let progress = Progress::default();
        let mut request = Request::post(self.uri(verb)?)
            .header(CONTENT_TYPE_HEADER, CONTENT_TYPE)
            .header(CONTRACT, self.contract.clone());
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, token.clone());
        }
        let request =
            request.body(Upload::new(body, progress.clone())).map_err(|error| unaskable(verb, error))?;
        match progress.watch(silence, self.connections.request(request)).await {
            Ok(answered) => answered.map_err(|error| lost(verb, &self.endpoint, error)),
            Err(_) => Err(silent(verb)),
        }
    }

    fn uri(&self, verb: &'static str) -> Result<http::Uri> {
        self.endpoint.uri(&format!("{PATH}{verb}")).map_err(|error| unaskable(verb, error))
    }
}

/// Whether a store answers, and not something before it.
fn is_of_store(headers: &HeaderMap) -> bool {
    headers.contains_key(CONTRACT)
        && headers.get(CONTENT_TYPE_HEADER).is_some_and(|value| value == CONTENT_TYPE)
}

/// A whole body, unless it is too large or stands still.
pub(super) async fn collect(operation: &'static str, mut body: Incoming, silence: Duration) -> Result<Bytes> {
    let told = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if told > ANSWER_BYTES_MAX {
        return Err(unreadable(operation, TOO_LARGE));
    }
    let mut whole = BytesMut::with_capacity(told.min(RESERVE_MAX));
    let progress = Progress::default();
    loop {
        let frame = progress.watch(silence, body.frame()).await.map_err(|_| silent(operation))?;
        let Some(frame) = frame else { return Ok(whole.freeze()) };
        let Ok(data) = frame.map_err(|error| cut(operation, error))?.into_data() else { continue };
        if whole.len() + data.len() > ANSWER_BYTES_MAX {
            return Err(unreadable(operation, TOO_LARGE));
        }
        whole.extend_from_slice(&data);
    }
}

pub(super) fn unaskable(operation: &'static str, error: http::Error) -> Error {
    Error::new(ErrorKind::Invalid, operation, "the path of the URL cannot be asked for").with_source(error)
}
