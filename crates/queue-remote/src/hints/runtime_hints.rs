//! The hints of one runtime: its subscribers, and the streams that are open for them.
//!
//! A stream stays for some seconds after its last subscriber, so that calls that wait for results
//! one after the other do not connect each time.

use super::listener::{ListenState, Listener};
use crate::{contract::Topic, handle::RemoteHandle, spawn::spawn};
use parking_lot::Mutex;
use queue_core::{Error, ErrorKind, EventReach, EventStream, Interest, QueueName, Result};
use queue_store::{HintStream, Hub, RuntimePart};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};
use tokio::{sync::watch, task::JoinHandle};

pub(super) type Key = (QueueName, Topic);

/// The streams of a runtime, by what they are about.
pub(super) type Streams = Arc<Mutex<HashMap<Key, OpenStream>>>;

/// The subscribers of a handle on one runtime, and the streams that are open for them.
#[derive(Debug)]
pub(super) struct RuntimeHints {
    handle: Arc<RemoteHandle>,
    hub: Arc<Hub>,
    streams: Streams,
}

/// A stream of the server, with the task that reads it.
#[derive(Debug)]
pub(super) struct OpenStream {
    /// One more than there are subscribers.
    users: Arc<()>,
    state: watch::Receiver<ListenState>,
    task: JoinHandle<()>,
}

impl RuntimeHints {
    pub(super) fn new(handle: Arc<RemoteHandle>) -> Self {
        Self { handle, hub: Arc::default(), streams: Streams::default() }
    }

    /// Registers a subscriber. The future ends once the server sends what is asked for.
    pub(super) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        if self.handle.opened.events == EventReach::None {
            return Ok(Box::pin(futures_util::stream::pending()));
        }
        let topic = match &interest {
            Interest::Wake => Topic::Wake,
            Interest::Jobs(_) => Topic::Ends,
            Interest::All => Topic::All,
        };
        let hints = self.hub.subscribe(queue, interest);
        let (user, mut state) = self.join((queue.clone(), topic));
        let state = state.wait_for(|state| !matches!(state, ListenState::Connecting)).await;
        match state.map(|state| state.clone()) {
            Ok(ListenState::Failed(error)) => Err(error),
            Ok(ListenState::Open | ListenState::Connecting) => Ok(Box::pin(HintStream::new(hints, user))),
            Err(_) => Err(self.ended()),
        }
    }

    /// Ends every stream, now and later, and the tasks, which are left to be waited for.
    pub(super) fn close(&self) -> Vec<JoinHandle<()>> {
        self.hub.close();
        let open: Vec<_> = self.streams.lock().drain().collect();
        open.into_iter().map(|(_, stream)| stream.task).inspect(JoinHandle::abort).collect()
    }

    /// Joins the stream, which is begun where there is none.
    fn join(&self, key: Key) -> (Arc<()>, watch::Receiver<ListenState>) {
        let mut streams = self.streams.lock();
        let stream = match streams.entry(key.clone()) {
            Entry::Occupied(open) if !open.get().task.is_finished() => open.into_mut(),
            Entry::Occupied(mut over) => {
                over.insert(self.begin(key));
                over.into_mut()
            }
            Entry::Vacant(vacant) => vacant.insert(self.begin(key)),
        };
        (stream.users.clone(), stream.state.clone())
    }

    fn begin(&self, key: Key) -> OpenStream {
        let (told, state) = watch::channel(ListenState::Connecting);
        let (handle, hub, streams) = (self.handle.clone(), self.hub.clone(), self.streams.clone());
        let listener = Listener { key, handle, hub, streams, state: told };
        OpenStream { users: Arc::default(), state, task: spawn(listener.run()) }
    }

    /// Why a stream brings nothing any more.
    fn ended(&self) -> Error {
        let gone = "the runtime that hints came in on has ended; subscribe again";
        let open = self.handle.check_open("subscribe");
        open.err().unwrap_or_else(|| Error::new(ErrorKind::Unavailable, "subscribe", gone))
    }
}

/// The tasks ended with their runtime, so the subscribers have to subscribe again.
impl RuntimePart for RuntimeHints {
    fn end(&self) {
        self.hub.close();
    }
}

/// A handle that is dropped without being closed ends the tasks too.
impl Drop for RuntimeHints {
    fn drop(&mut self) {
        drop(self.close());
    }
}

/// Lets go of a stream without subscribers. Answers whether it did.
pub(super) fn let_go(streams: &Streams, key: &Key) -> bool {
    let mut streams = streams.lock();
    // A subscriber that joins takes the lock too, so none is forgotten.
    let is_unheard = streams.get(key).is_none_or(|stream| Arc::strong_count(&stream.users) == 1);
    if is_unheard {
        streams.remove(key);
    }
    is_unheard
}
