//! A store layer that counts the subscriptions opened and held.

use async_trait::async_trait;
use futures_util::{Stream, StreamExt};
use queue::{
    QueueName, Result, Storage,
    queue_core::{EventStream, Hint, Interest, StorageLayer},
};
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll},
};

/// A store that counts the streams of hints that are held.
#[derive(Debug)]
pub(super) struct CountedStore {
    store: Arc<dyn Storage>,
    streams: Arc<Streams>,
}

/// The streams that were opened, and those that are held.
#[derive(Debug, Default)]
pub(super) struct Streams {
    pub(super) opened: AtomicUsize,
    pub(super) held: AtomicUsize,
    pub(super) held_at_once_max: AtomicUsize,
}

struct CountedStream {
    hints: EventStream,
    streams: Arc<Streams>,
}

impl CountedStore {
    pub(super) fn wrap(store: Arc<dyn Storage>) -> (Arc<dyn Storage>, Arc<Streams>) {
        let streams = Arc::new(Streams::default());
        (Arc::new(Self { store, streams: streams.clone() }), streams)
    }
}

impl CountedStream {
    fn new(hints: EventStream, streams: &Arc<Streams>) -> Self {
        streams.opened.fetch_add(1, SeqCst);
        let held = streams.held.fetch_add(1, SeqCst) + 1;
        streams.held_at_once_max.fetch_max(held, SeqCst);
        Self { hints, streams: streams.clone() }
    }
}

impl Stream for CountedStream {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        self.hints.poll_next_unpin(context)
    }
}

impl Drop for CountedStream {
    fn drop(&mut self) {
        self.streams.held.fetch_sub(1, SeqCst);
    }
}

#[async_trait]
impl StorageLayer for CountedStore {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.store
    }

    async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let hints = self.store.subscribe(queue, interest).await?;
        Ok(Box::pin(CountedStream::new(hints, &self.streams)))
    }
}
