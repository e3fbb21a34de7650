//! A small HTTP client for the API of the FIFO, used by the demonstration and the tests.

use crate::Result;
use axum::{
    body::Bytes,
    http::{Method, Request, StatusCode, header::CONTENT_TYPE},
};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::Value;
use std::net::SocketAddr;

/// Sends requests to the [API](super::router), as any HTTP client could.
#[derive(Debug)]
pub struct HttpClient {
    server: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl HttpClient {
    /// A client of the server at this address.
    pub fn new(server: SocketAddr) -> Self {
        Self { server, client: Client::builder(TokioExecutor::new()).build_http() }
    }

    /// Reads. A body that is no JSON is answered as null.
    pub async fn get(&self, path: &str) -> Result<(StatusCode, Value)> {
        self.send(Method::GET, path, Bytes::new()).await
    }

    /// Sends a body, declared as JSON.
    pub async fn post(&self, path: &str, body: impl Into<Bytes>) -> Result<(StatusCode, Value)> {
        self.send(Method::POST, path, body.into()).await
    }

    async fn send(&self, method: Method, path: &str, body: Bytes) -> Result<(StatusCode, Value)> {
        let uri = format!("http://{}{path}", self.server);
        let request = Request::builder().method(method).uri(uri).header(CONTENT_TYPE, "application/json");
        let response = self.client.request(request.body(Full::new(body))?).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
    }
}
