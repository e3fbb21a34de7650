//! Hints: one connection of a handle hears what scripts publish, for all queues and subscribers.
//!
//! A queue has three channels: `wake` (a claim may find something), `ends` (awaited jobs ended or
//! are gone) and `feed` (every change, published only while somebody asks for it). Ordinary
//! `PUBLISH` is used on a Cluster too: any node passes it on, so that one connection to any node is
//! enough.
//!
//! Absent on purpose: any state that a lost message could spoil. After a new connection everybody
//! is told to read again.

mod channels;
mod feeder;
mod listener;
mod message;

use crate::{handle::HandleState, link::Dial, spawn::spawn};
use channels::{SharedChannels, Topic};
use feeder::ask_for_feed;
use listener::{Listener, Subscribe};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Error, ErrorKind, EventStream, Interest, QueueName, Result};
use queue_store::{HintStream, Hub};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Requests that may wait for the listener.
const REQUESTS_MAX: usize = 256;

/// The subscribers of a handle, and the task that listens for them once there is one.
#[derive(Debug)]
pub(crate) struct Wakeup {
    dial: Dial,
    handle: Arc<HandleState>,
    hub: Arc<Hub>,
    channels: SharedChannels,
    listener: Mutex<Option<ListenerTask>>,
}

/// The task: it ends when the channel of requests does.
#[derive(Debug)]
struct ListenerTask {
    requests: mpsc::Sender<Subscribe>,
    task: tokio::task::JoinHandle<()>,
}

impl Wakeup {
    pub(crate) fn new(dial: Dial, handle: Arc<HandleState>) -> Self {
        Self {
            dial,
            handle,
            hub: Arc::default(),
            channels: SharedChannels::default(),
            listener: Mutex::default(),
        }
    }

    /// Registers a subscriber. The future ends once the server sends what is asked for.
    pub(crate) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let topic = Topic::of(&interest);
        let hints = self.hub.subscribe(queue, interest);
        let queue = self.handle.queues.get(queue);
        let requests = self.requests();
        // Most subscribers ask for a queue that others wait on too, which needs no request.
        let heard = self.channels.lock().join_heard(&queue, topic);
        if let Some(user) = heard {
            return Ok(Box::pin(HintStream::new(hints, user)));
        }
        let (reply, answer) = oneshot::channel();
        let request = Subscribe { queue: queue.clone(), topic, reply };
        requests.send(request).await.map_err(|_| self.ended())?;
        let user = answer.await.map_err(|_| self.ended())??;
        if topic == Topic::Feed {
            // Not by the listener: this queue may be on a master that is silent, and others
            // subscribe too.
            ask_for_feed(&self.handle, &queue).await?;
        }
        Ok(Box::pin(HintStream::new(hints, user)))
    }

    /// Ends every stream, now and later, and the task.
    pub(crate) async fn close(&self) {
        self.hub.close();
        let listening = self.lock().take();
        if let Some(ListenerTask { requests, task }) = listening {
            drop(requests);
            task.abort();
            // The task was aborted, so how it ended says nothing.
            drop(task.await);
        }
    }

    /// To the listener, which is started where there is none, or where the runtime that it ran on
    /// is gone. Then those who listened before are told that they missed something.
    fn requests(&self) -> mpsc::Sender<Subscribe> {
        let mut listening = self.lock();
        if let Some(listening) = listening.as_ref().filter(|listening| !listening.task.is_finished()) {
            return listening.requests.clone();
        }
        let (requests, inbox) = mpsc::channel(REQUESTS_MAX);
        let dial = self.dial.clone();
        let handle = self.handle.clone();
        let listener = Listener::new(dial, handle, self.hub.clone(), self.channels.clone());
        let task = spawn(listener.run(inbox));
        *listening = Some(ListenerTask { requests: requests.clone(), task });
        requests
    }

    /// Why the listener takes no requests.
    fn ended(&self) -> Error {
        let gone = "the runtime that hints came in on has ended; subscribe again";
        let open = self.handle.client.check_open("subscribe");
        open.err().unwrap_or_else(|| Error::new(ErrorKind::Unavailable, "subscribe", gone))
    }

    fn lock(&self) -> MutexGuard<'_, Option<ListenerTask>> {
        self.listener.lock()
    }
}

/// A handle that is dropped without being closed ends the task too.
impl Drop for Wakeup {
    fn drop(&mut self) {
        if let Some(ListenerTask { task, .. }) = self.lock().take() {
            task.abort();
        }
    }
}
