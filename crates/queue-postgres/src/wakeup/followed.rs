use futures_core::Stream;
use queue_core::{EventStream, Hint};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// A stream of every change, which is asked for as long as this lives.
pub(super) struct Followed {
    pub(super) hints: EventStream,
    /// Whoever renews the request holds a weak reference to this.
    pub(super) _alive: Arc<()>,
}

impl Stream for Followed {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        self.hints.as_mut().poll_next(context)
    }
}
