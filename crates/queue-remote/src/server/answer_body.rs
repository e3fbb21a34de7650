//! The body of an answer.

use super::hint_body::HintBody;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use queue_core::{LostClaim, Storage};
use queue_store::{CurrentRuntime, Spawn};
use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tracing::debug;

/// The body of an answer of [`StoreService`](crate::StoreService): bytes, or hints without end.
pub struct AnswerBody(Kind);

enum Kind {
    Whole(Bytes),
    Claimed { bytes: Bytes, undelivered: Option<Undelivered> },
    Hints(HintBody),
}

/// What a claim leased for a caller that has no answer yet. Once the answer is on its way, it is
/// for the caller to look for a claim without an answer.
struct Undelivered {
    store: Arc<dyn Storage>,
    lost: LostClaim,
}

impl AnswerBody {
    pub(super) fn whole(bytes: Bytes) -> Self {
        Self(Kind::Whole(bytes))
    }

    pub(super) fn claimed(bytes: Bytes, store: Arc<dyn Storage>, lost: LostClaim) -> Self {
        Self(Kind::Claimed { bytes, undelivered: Some(Undelivered { store, lost }) })
    }

    pub(super) fn hints(hints: HintBody) -> Self {
        Self(Kind::Hints(hints))
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match &mut self.0 {
            Kind::Hints(hints) => {
                return hints.poll_piece(context).map(|piece| Some(Ok(Frame::data(piece?))));
            }
            Kind::Whole(bytes) => bytes,
            Kind::Claimed { bytes, undelivered } => {
                // It is on its way.
                *undelivered = None;
                bytes
            }
        };
        let bytes = std::mem::take(bytes);
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Whole(bytes) | Kind::Claimed { bytes, .. } => bytes.is_empty(),
            Kind::Hints(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) | Kind::Claimed { bytes, .. } => SizeHint::with_exact(bytes.len() as u64),
            Kind::Hints(_) => SizeHint::default(),
        }
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        let Kind::Claimed { undelivered, .. } = &mut self.0 else { return };
        let Some(Undelivered { store, mut lost }) = undelivered.take() else { return };
        CurrentRuntime.spawn(Box::pin(async move {
            if let Err(error) = lost.give_back(&*store).await {
                debug!(kind = ?error.kind(), "jobs of a claim that nobody heard of lapse");
            }
        }));
    }
}

impl fmt::Debug for AnswerBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Kind::Whole(_) => "AnswerBody(whole)",
            Kind::Claimed { .. } => "AnswerBody(claimed)",
            Kind::Hints(_) => "AnswerBody(hints)",
        })
    }
}
