//! A stream of hints that keeps the request for every change alive.

use futures_core::Stream;
use queue_core::{EventStream, Hint};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// A stream of every change. The request for every change is renewed while the stream lives.
pub(super) struct FollowingStream {
    pub(super) hints: EventStream,
    /// The task that renews the request holds a weak reference to this.
    pub(super) _alive: Arc<()>,
}

impl Stream for FollowingStream {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        self.hints.as_mut().poll_next(context)
    }
}
