//! Hints: a stream of the server for each queue and topic that somebody of this handle subscribes
//! to, handed out from here.
//!
//! A stream stays for some seconds after its last subscriber, so that calls that wait for results
//! one after the other do not connect each time. Absent on purpose: any state that a lost hint
//! could spoil. After a connection was lost, its subscribers are told to read again.

mod frames;
mod listener;

#[cfg(feature = "server")]
pub(crate) use frames::put_frame;
pub(crate) use frames::{Frames, PULSE};

use crate::{contract::Topic, handle::RemoteHandle, spawn::spawn};
use listener::{ListenState, Listener};
use parking_lot::Mutex;
use queue_core::{Error, ErrorKind, EventReach, EventStream, Interest, QueueName, Result};
use queue_store::{HintStream, Hub};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
    time::Duration,
};
use tokio::{sync::watch, task::JoinHandle};

/// The server sends something at least this often, so that either side notices that the other is
/// gone.
#[cfg(feature = "server")]
pub(crate) const PULSE_EVERY: Duration = Duration::from_secs(10);
/// A stream that is silent for so long is given up.
pub(crate) const SILENT_MAX: Duration = Duration::from_secs(30);

type Key = (QueueName, Topic);

/// The streams of a handle, by what they are about.
pub(crate) type Streams = Arc<Mutex<HashMap<Key, OpenStream>>>;

/// The subscribers of a handle, and the streams that are open for them.
#[derive(Debug)]
pub(crate) struct Listeners {
    handle: Arc<RemoteHandle>,
    hub: Arc<Hub>,
    streams: Streams,
}

/// A stream of the server, with the task that reads it.
#[derive(Debug)]
pub(crate) struct OpenStream {
    /// One more than there are subscribers.
    users: Arc<()>,
    state: watch::Receiver<ListenState>,
    task: JoinHandle<()>,
}

impl Listeners {
    pub(crate) fn new(handle: Arc<RemoteHandle>) -> Self {
        Self { handle, hub: Arc::default(), streams: Streams::default() }
    }

    /// Registers a subscriber. The future ends once the server sends what is asked for.
    pub(crate) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        self.handle.check_open("subscribe")?;
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

    /// Ends every stream, now and later.
    pub(crate) async fn close(&self) {
        self.hub.close();
        let open: Vec<_> = self.streams.lock().drain().collect();
        for (_, stream) in open {
            stream.task.abort();
            // The task was aborted, so how it ended says nothing.
            drop(stream.task.await);
        }
    }

    /// Joins the stream, which is begun where there is none, or where the runtime that it ran on is
    /// gone.
    fn join(&self, key: Key) -> (Arc<()>, watch::Receiver<ListenState>) {
        let mut streams = self.streams.lock();
        let stream = match streams.entry(key.clone()) {
            Entry::Occupied(open) if !open.get().task.is_finished() => open.into_mut(),
            Entry::Occupied(mut over) => {
                over.insert(self.begin(key, true));
                over.into_mut()
            }
            Entry::Vacant(vacant) => vacant.insert(self.begin(key, false)),
        };
        (stream.users.clone(), stream.state.clone())
    }

    fn begin(&self, key: Key, is_behind: bool) -> OpenStream {
        let (told, state) = watch::channel(ListenState::Connecting);
        let handle = self.handle.clone();
        let listener = Listener {
            key,
            handle,
            hub: self.hub.clone(),
            streams: self.streams.clone(),
            state: told,
            is_behind,
        };
        OpenStream { users: Arc::default(), state, task: spawn(listener.run()) }
    }

    /// Why a stream tells nothing any more.
    fn ended(&self) -> Error {
        let gone = "the runtime that hints came in on has ended; subscribe again";
        let open = self.handle.check_open("subscribe");
        open.err().unwrap_or_else(|| Error::new(ErrorKind::Unavailable, "subscribe", gone))
    }
}

/// A handle that is dropped without being closed ends its streams too.
impl Drop for Listeners {
    fn drop(&mut self) {
        self.streams.lock().values().for_each(|stream| stream.task.abort());
    }
}

/// Lets go of a stream that nobody hears. Answers whether it did.
pub(crate) fn let_go(streams: &Streams, key: &Key) -> bool {
    let mut streams = streams.lock();
    // Who joins takes the lock too, so nobody is forgotten.
    let is_unheard = streams.get(key).is_none_or(|stream| Arc::strong_count(&stream.users) == 1);
    if is_unheard {
        streams.remove(key);
    }
    is_unheard
}
