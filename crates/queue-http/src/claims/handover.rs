//! Jobs on their way to a worker, until the connection has taken the bytes of the answer.

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::Full;
use queue_core::Claimed;
use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::sync::oneshot;

/// The answer to a claim. Its jobs are given back when it is dropped, unless the answer that is
/// made of it was taken by a connection.
#[derive(Debug)]
pub(crate) struct Handover {
    pub(crate) claimed: Claimed,
    pub(super) taken: oneshot::Sender<()>,
    /// How long the request had waited when the jobs were asked for, so that they were leased no
    /// earlier.
    pub(crate) waited: Duration,
}

impl Handover {
    /// The answer, with a body that signals when its bytes were taken.
    pub(crate) fn deliver(taken: Option<oneshot::Sender<()>>, response: http::Response<Bytes>) -> Response {
        response.map(|bytes| Body::new(Watched { body: Full::new(bytes), taken }))
    }

    /// The jobs, and the signal to send once they have been delivered.
    pub(crate) fn into_parts(self) -> (Claimed, oneshot::Sender<()>) {
        (self.claimed, self.taken)
    }
}

/// A body that signals when its bytes were taken.
struct Watched {
    body: Full<Bytes>,
    taken: Option<oneshot::Sender<()>>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(Some(Ok(_))))
            && let Some(taken) = self.taken.take()
        {
            // The receiving task is missing only if the runtime has ended, and then no task gives
            // the jobs back.
            let _ = taken.send(());
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
