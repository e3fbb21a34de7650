//! The body of a request or an answer, whose type hides the library behind it.

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::{
    pin::Pin,
    task::{Context, Poll},
};

/// The body of an answer, or of a request to the face for remote stores: bytes, or a stream.
#[derive(Debug)]
pub struct AnswerBody(Body);

impl AnswerBody {
    pub(crate) fn new(body: Body) -> Self {
        Self(body)
    }

    /// Any body, for services beside the calls.
    pub fn wrap<B>(body: B) -> Self
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        Self(Body::new(body))
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.0).poll_frame(cx).map_err(axum::Error::into_inner)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
