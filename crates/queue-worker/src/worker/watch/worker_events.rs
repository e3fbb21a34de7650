//! The events of a worker as a stream.

use super::WorkerEvent;
use futures_util::{
    Stream, StreamExt,
    stream::{self, BoxStream},
};
use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// What happens in a worker, from the moment at which the stream was made; from
/// [`Worker::events`](crate::Worker::events). It ends with the worker.
///
/// The stream never holds the worker up. A reader that is more than 4096 events behind loses the
/// oldest, and gets [`WorkerEvent::Lagged`] in their place, which says how many.
pub struct WorkerEvents(BoxStream<'static, WorkerEvent>);

impl WorkerEvents {
    pub(in crate::worker) fn new(receiver: Receiver<Arc<WorkerEvent>>) -> Self {
        Self(stream::unfold(receiver, next).boxed())
    }
}

async fn next(mut receiver: Receiver<Arc<WorkerEvent>>) -> Option<(WorkerEvent, Receiver<Arc<WorkerEvent>>)> {
    let event = match receiver.recv().await {
        Ok(event) => Arc::unwrap_or_clone(event),
        Err(RecvError::Lagged(lost)) => WorkerEvent::Lagged(lost),
        Err(RecvError::Closed) => return None,
    };
    Some((event, receiver))
}

impl Stream for WorkerEvents {
    type Item = WorkerEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<WorkerEvent>> {
        self.0.poll_next_unpin(context)
    }
}

impl fmt::Debug for WorkerEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorkerEvents(..)")
    }
}
