//! Calls of the protocol that `queue serve` has for all languages. They use the connections and the
//! token of a remote store.

use super::{
    call::{collect, unaskable},
    connections::Connections,
    error::{lost, silent},
    problem::media_type,
    progress::Progress,
    token::Token,
    upload::Upload,
};
use crate::{endpoint::Endpoint, options::RemoteOptions};
use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use hyper::body::Incoming;
use queue_core::{Error, Result};
use std::{path::Path, time::Duration};

/// The operation that errors name.
const CALL: &str = "call";
/// How long the service may be silent, beside what it may wait on purpose.
const SILENCE: Duration = Duration::from_secs(30);

/// Sends single calls of the protocol `/v1` of `queue serve`: JSON out, JSON in, and nothing
/// between. `queue-service` is made of it; programs that can use the scope `store` are better off
/// with a [`RemoteStorage`](crate::RemoteStorage).
#[derive(Debug)]
pub struct ServiceClient {
    connections: Connections,
    endpoint: Endpoint,
    token: Option<Token>,
    silence: Duration,
}

/// The answer of the service, also if it refused.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServiceAnswer {
    /// The status of HTTP.
    pub status: u16,
    /// The content type without its parameters, in small letters. The service answers with
    /// `application/json`, or with `application/problem+json` and a status from 400 on; what stands
    /// before it, such as a proxy, answers with others, and says nothing about the call.
    pub media_type: String,
    /// At most 512 MiB.
    pub body: Bytes,
}

impl ServiceClient {
    /// Reads the file of the token. No connection is made yet.
    ///
    /// # Errors
    /// `Invalid` for a token that cannot be read, or would go unencrypted over a network.
    pub async fn open(options: RemoteOptions) -> Result<Self> {
        let options = options.checked()?;
        let token = Token::read(options.token.clone()).await?;
        Ok(Self {
            connections: Connections::new(&options),
            silence: options.response_timeout.unwrap_or(SILENCE),
            endpoint: options.endpoint,
            token,
        })
    }

    /// The file of the token, which is read again when the service refuses the token.
    pub fn token_file(&self) -> Option<&Path> {
        self.token.as_ref()?.file()
    }

    /// Reads a path below the URL, such as `/v1/limits?x=y`, otherwise as [`post`](Self::post).
    ///
    /// # Errors
    /// The errors of [`post`](Self::post).
    pub async fn get(&self, path: &str) -> Result<ServiceAnswer> {
        self.ask(Method::GET, path, Bytes::new(), self.silence).await
    }

    /// Sends JSON to a path below the URL, such as `/v1/settle`, and reads the whole answer, for
    /// which the service may `wait` on purpose. A token that the service refuses is read again from
    /// its file, once. Nothing else is sent twice.
    ///
    /// # Errors
    /// `Unavailable` without an answer; its certainty says whether the call may have been carried
    /// out. Dropping the future closes the connection, by which the service ends the call.
    pub async fn post(&self, path: &str, body: Bytes, wait: Duration) -> Result<ServiceAnswer> {
        self.ask(Method::POST, path, body, self.silence + wait).await
    }

    /// Puts JSON to a path below the URL, otherwise as [`post`](Self::post) without a wait.
    ///
    /// # Errors
    /// The errors of [`post`](Self::post).
    pub async fn put(&self, path: &str, body: Bytes) -> Result<ServiceAnswer> {
        self.ask(Method::PUT, path, body, self.silence).await
    }

    async fn ask(&self, method: Method, path: &str, body: Bytes, silence: Duration) -> Result<ServiceAnswer> {
        let token = self.token.as_ref().map(Token::header);
        let mut response = self.send(&method, path, body.clone(), token.as_ref(), silence).await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let (Some(file), Some(token)) = (&self.token, &token)
            && file.renew(token).await
        {
            response = self.send(&method, path, body, Some(&file.header()), silence).await?;
        }
        let status = response.status().as_u16();
        let media_type = media_type(response.headers());
        let body = collect(CALL, response.into_body(), silence).await?;
        Ok(ServiceAnswer { status, media_type, body })
    }

    async fn send(
        &self,
        method: &Method,
        path: &str,
        body: Bytes,
        token: Option<&HeaderValue>,
        silence: Duration,
    ) -> Result<Response<Incoming>> {
        let uri = self.endpoint.uri(path).map_err(|error| unaskable(CALL, error))?;
        let mut request = Request::builder().method(method).uri(uri);
        if method != Method::GET {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, token.clone());
        }
        let progress = Progress::default();
        let request =
            request.body(Upload::new(body, progress.clone())).map_err(|error| unaskable(CALL, error))?;
        match progress.watch(silence, self.connections.request(request)).await {
            Ok(answered) => {
                answered.map_err(|error: hyper_util::client::legacy::Error| lost(CALL, &self.endpoint, error))
            }
            Err(_) => Err(silent(CALL)) as Result<_, Error>,
        }
    }
}
