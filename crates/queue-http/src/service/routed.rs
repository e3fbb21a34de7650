//! The calls of a service as a `tower::Service`.

use super::AnswerBody;
use axum::{Router, body::Body};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response};
use http_body::Body as HttpBody;
use std::{
    convert::Infallible,
    error::Error,
    fmt,
    task::{Context, Poll},
};

/// The calls of a service as a `tower::Service`, for any server and any router that speaks `http`.
/// It never fails, and is always ready.
#[derive(Clone)]
pub struct Routed(Router);

impl Routed {
    pub(crate) fn new(router: Router) -> Self {
        Self(router)
    }
}

impl<B> tower_service::Service<Request<B>> for Routed
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<AnswerBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let answer = tower_service::Service::<Request<Body>>::call(&mut self.0, request.map(Body::new));
        Box::pin(async move { Ok(answer.await?.map(AnswerBody::new)) })
    }
}

impl fmt::Debug for Routed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routed").finish_non_exhaustive()
    }
}
