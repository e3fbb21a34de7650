//! The body of a request, handed out in pieces so that its progress is seen.

use super::progress::Progress;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

/// Bytes of a piece.
const PIECE: usize = 64 << 10;

/// What a request brings. Its length is known, so no server needs to guess where it ends.
#[derive(Debug)]
pub(crate) struct Upload {
    left: Bytes,
    progress: Progress,
}

impl Upload {
    pub(crate) fn new(body: Bytes, progress: Progress) -> Self {
        Self { left: body, progress }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.left.is_empty() {
            return Poll::Ready(None);
        }
        self.progress.step();
        let len = self.left.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.left.split_to(len)))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left.len() as u64)
    }
}
