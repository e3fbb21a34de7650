//! A stream of hints of which some are lost, repeated or out of order.

use crate::fault::{HintFault, injector::Injector};
use futures_util::Stream;
use queue_core::{EventStream, Hint};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// A stream of hints of which some go wrong.
pub(super) struct FaultyHints {
    hints: EventStream,
    injector: Arc<Injector>,
    /// The hint to hand out before the stream is polled again.
    next: Option<Hint>,
    /// A hint to hand out after the next one.
    held: Option<Hint>,
}

impl FaultyHints {
    pub(super) fn new(hints: EventStream, injector: Arc<Injector>) -> Self {
        Self { hints, injector, next: None, held: None }
    }

    /// The hint that is handed out in place of this one; `None` if it is dropped or held back.
    fn distort(&mut self, hint: Hint) -> Option<Hint> {
        match self.injector.draw_hint() {
            Some(HintFault::Drop) => return None,
            Some(HintFault::Repeat) => self.next = Some(hint.clone()),
            Some(HintFault::Reorder) if self.held.is_none() => {
                self.held = Some(hint);
                return None;
            }
            Some(HintFault::Reorder) | None => self.next = self.held.take(),
        }
        Some(hint)
    }
}

impl Stream for FaultyHints {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        if let Some(hint) = self.next.take() {
            return Poll::Ready(Some(hint));
        }
        loop {
            match self.hints.as_mut().poll_next(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(self.held.take()),
                Poll::Ready(Some(hint)) => {
                    if let Some(hint) = self.distort(hint) {
                        return Poll::Ready(Some(hint));
                    }
                }
            }
        }
    }
}
