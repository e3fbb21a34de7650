//! What a server serves.

use axum::{
    body::{Bytes, HttpBody},
    http::{Request, Response},
};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use std::{
    convert::Infallible,
    error::Error,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};
use tower_service::Service;

/// The body of a request as it comes in.
pub struct RequestBody(pub(super) Incoming);

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.0).poll_frame(cx).map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestBody").finish_non_exhaustive()
    }
}

/// A `tower::Service` that answers every request: a name for its many bounds.
pub(super) trait Served: Clone + Send + Sync + 'static {
    type Body: HttpBody<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static;

    fn answer(&mut self, request: Request<RequestBody>) -> impl Future<Output = Response<Self::Body>> + Send;
}

impl<S, B> Served for S
where
    S: Service<Request<RequestBody>, Response = Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
    B: HttpBody<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    type Body = B;

    async fn answer(&mut self, request: Request<RequestBody>) -> Response<B> {
        let Ok(()) = std::future::poll_fn(|cx| self.poll_ready(cx)).await;
        let Ok(response) = self.call(request).await;
        response
    }
}
