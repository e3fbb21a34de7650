//! A stream of hints that keeps its channel in use.

use futures_core::Stream;
use queue_core::{EventStream, Hint};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// Hints of the hub; while it lives, the channel that they come from is in use.
pub(super) struct HintStream {
    hints: EventStream,
    _user: Arc<()>,
}

impl HintStream {
    pub(super) fn new(hints: EventStream, user: Arc<()>) -> Self {
        Self { hints, _user: user }
    }
}

impl Stream for HintStream {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        self.hints.as_mut().poll_next(context)
    }
}
