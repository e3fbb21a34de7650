//! A stream of hints that keeps in use what they come from.

use futures_core::Stream;
use queue_core::{EventStream, Hint};
use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// Hints of a [`Hub`](crate::Hub) that come from a channel of the server. While the stream lives,
/// the channel is in use: a store that counts the references to `user` knows when the last listener
/// has left.
pub struct HintStream {
    hints: EventStream,
    _user: Arc<()>,
}

impl HintStream {
    /// Hands on `hints`, and keeps `user` until the stream is dropped.
    pub fn new(hints: EventStream, user: Arc<()>) -> Self {
        Self { hints, _user: user }
    }
}

impl Stream for HintStream {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        self.hints.as_mut().poll_next(context)
    }
}

impl fmt::Debug for HintStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HintStream").finish_non_exhaustive()
    }
}
