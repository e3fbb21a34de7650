//! The hints of one runtime: its subscribers, and the task that listens for them.

use super::{
    channels::{SharedChannels, Topic},
    feeder::ask_for_feed,
    listener::{Listener, Subscribe},
};
use crate::{handle::HandleState, link::Dial, spawn::spawn};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Error, ErrorKind, EventStream, Interest, QueueName, Result};
use queue_store::{HintStream, Hub, RuntimePart};
use std::sync::Arc;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// Requests that may wait for the listener.
const REQUESTS_MAX: usize = 256;

/// The subscribers of a handle on one runtime, and the task that listens for them once there is
/// one.
#[derive(Debug)]
pub(super) struct RuntimeHints {
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
    task: JoinHandle<()>,
}

impl RuntimeHints {
    pub(super) fn new(dial: Dial, handle: Arc<HandleState>) -> Self {
        Self {
            dial,
            handle,
            hub: Arc::default(),
            channels: SharedChannels::default(),
            listener: Mutex::default(),
        }
    }

    /// Registers a subscriber. The future ends once the server sends what is asked for.
    pub(super) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
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

    /// Ends every stream, now and later, and the task, which is left to be waited for.
    pub(super) fn close(&self) -> Option<JoinHandle<()>> {
        self.hub.close();
        let ListenerTask { task, .. } = self.lock().take()?;
        task.abort();
        Some(task)
    }

    /// To the listener, which is started where there is none.
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

/// The task ended with its runtime, so readers that still hold the streams have to subscribe again.
impl RuntimePart for RuntimeHints {
    fn end(&self) {
        self.hub.close();
    }
}

/// A handle that is dropped without being closed ends the task too.
impl Drop for RuntimeHints {
    fn drop(&mut self) {
        drop(self.close());
    }
}
