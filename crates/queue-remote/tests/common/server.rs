//! A server in this process, on a runtime of its own, as it would be in a process of its own.

use bytes::Bytes;
use http::{Request, Response, StatusCode, header::AUTHORIZATION};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use queue_core::Storage;
use queue_remote::{AnswerBody, RemoteOptions, StoreService};
use std::{
    convert::Infallible,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, LazyLock},
};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    task::{AbortHandle, JoinSet},
};
use tower_service::Service;

/// Where servers, and the stores behind them, run.
pub(crate) static ELSEWHERE: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("the system gives threads")
});

const ANYWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A server that ends when it is dropped, with all its connections.
#[derive(Debug)]
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    accepting: AbortHandle,
}

impl TestServer {
    pub(crate) async fn start(store: Arc<dyn Storage>) -> Self {
        Self::start_with(move |request| {
            let mut service = StoreService::new(store.clone());
            async move { service.call(request).await }
        })
        .await
    }

    /// A server that takes requests with this token alone, which the test may change.
    pub(crate) async fn start_guarded(
        store: Arc<dyn Storage>,
        token: Arc<parking_lot::Mutex<&'static str>>,
    ) -> Self {
        Self::start_with(move |request: Request<Incoming>| {
            let mut service = StoreService::new(store.clone());
            let token = *token.lock();
            async move {
                let is_allowed = request.headers().get(AUTHORIZATION).is_some_and(|value| value == token);
                if is_allowed {
                    return service.call(request).await;
                }
                // What stands around a service answers by itself; this body is any.
                let none = Request::new(http_body_util::Full::<Bytes>::default());
                let mut refused = Response::new(service.call(none).await?.into_body());
                *refused.status_mut() = StatusCode::UNAUTHORIZED;
                Ok(refused)
            }
        })
        .await
    }

    pub(crate) async fn start_with<F>(
        answer: impl Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Response<AnswerBody>, Infallible>> + Send + 'static,
    {
        let bound = ELSEWHERE.spawn(TcpListener::bind(ANYWHERE)).await.expect("it runs");
        let listener = bound.expect("the port is free");
        let address = listener.local_addr().expect("it is bound");
        let accepting = ELSEWHERE.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                stream.set_nodelay(true).expect("it is open");
                let service = service_fn(answer.clone());
                let mut builder = http1::Builder::new();
                builder.timer(TokioTimer::new());
                connections.spawn(builder.serve_connection(TokioIo::new(stream), service));
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, accepting: accepting.abort_handle() }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub(crate) fn options(&self) -> RemoteOptions {
        RemoteOptions::new(&self.url()).expect("the URL is valid")
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}
