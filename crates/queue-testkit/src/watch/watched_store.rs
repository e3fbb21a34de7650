//! A store that notes each call, and each wait for a hint, until it is answered.

use super::{OpenCalls, open_calls::OpenCall};
use async_trait::async_trait;
use futures_util::Stream;
use queue_core::{EventStream, Hint, Interest, QueueName, Result, Storage, StorageLayer};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// A store whose calls, and whose waits for a hint, count as open until they are answered.
#[derive(Debug)]
pub(super) struct WatchedStore {
    store: Arc<dyn Storage>,
    calls: OpenCalls,
}

/// The hints of a [`WatchedStore`].
struct WatchedHints {
    hints: EventStream,
    calls: OpenCalls,
    what: String,
    asked: Option<OpenCall>,
}

impl WatchedStore {
    pub(super) fn new(store: Arc<dyn Storage>, calls: OpenCalls) -> Self {
        Self { store, calls }
    }
}

#[async_trait]
impl StorageLayer for WatchedStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &(dyn Storage + 'static) {
        &*self.store
    }

    fn around<T: Send>(
        &self,
        verb: &'static str,
        queue: Option<&QueueName>,
        call: impl Future<Output = Result<T>> + Send,
    ) -> impl Future<Output = Result<T>> + Send {
        let about = queue.map_or_else(String::new, |queue| format!(" of queue `{queue}`"));
        let open = self.calls.begin(format!("the answer of `{verb}`{about}"));
        async move {
            let answer = call.await;
            open.answered();
            answer
        }
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let what = format!("a hint of queue `{queue}` for {interest:?}");
        let hints = self.around("subscribe", Some(queue), self.store.subscribe(queue, interest)).await?;
        Ok(Box::pin(WatchedHints { hints, calls: self.calls.clone(), what, asked: None }))
    }
}

impl Stream for WatchedHints {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        let polled = self.hints.as_mut().poll_next(context);
        match (&polled, self.asked.take()) {
            (Poll::Ready(_), Some(asked)) => asked.answered(),
            (Poll::Ready(_), None) => {}
            (Poll::Pending, asked) => {
                let asked = asked.unwrap_or_else(|| self.calls.begin(self.what.clone()));
                self.asked = Some(asked);
            }
        }
        polled
    }
}
