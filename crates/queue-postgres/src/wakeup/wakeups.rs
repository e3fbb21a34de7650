use super::{followed::Followed, listener};
use crate::{
    shared::Shared,
    verbs::{Follow, Intern},
};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Error, ErrorKind, EventStream, Interest, QueueName, Result};
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};
use tokio::{sync::watch, task::JoinHandle};

/// How much longer than the interval of its renewal a request for every change holds.
const FOLLOW_INTERVALS: i64 = 4;

/// The subscribers of one handle, and the task that listens for them.
#[derive(Debug)]
pub(crate) struct Wakeups {
    shared: Arc<Shared>,
    audience: Arc<Audience>,
    listening: Mutex<Option<Listening>>,
}

/// The task that listens, and whether it does by now: `None` until that is known.
#[derive(Debug)]
struct Listening {
    task: JoinHandle<()>,
    started: watch::Receiver<Option<Result<()>>>,
}

/// For whom the task listens.
#[derive(Debug, Default)]
pub(super) struct Audience(Mutex<Heard>);

#[derive(Debug, Default)]
struct Heard {
    queues: HashMap<i32, QueueName>,
    /// Queues of which somebody wants to hear everything, while the stream lives.
    followed: HashMap<i32, Weak<()>>,
}

impl Wakeups {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, audience: Arc::default(), listening: Mutex::default() }
    }

    /// Registers a subscriber; what is committed from now on is hinted at.
    pub(crate) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let follows = interest == Interest::All;
        let hints = self.shared.hub.subscribe(queue, interest);
        if !self.shared.options.is_listening() {
            return Ok(hints);
        }
        let number = self.intern(queue).await?;
        self.audience.lock().queues.insert(number, queue.clone());
        self.start().await?;
        if !follows {
            return Ok(hints);
        }
        if let Some(alive) = self.audience.follower(number) {
            return Ok(Box::pin(Followed { hints, _alive: alive }));
        }
        follow(&self.shared, &[number]).await?;
        let alive = self.audience.begin_to_follow(number);
        Ok(Box::pin(Followed { hints, _alive: alive }))
    }

    /// Ends the task and its connection.
    pub(crate) async fn close(&self) {
        let listening = self.lock().take();
        if let Some(Listening { task, .. }) = listening {
            task.abort();
            // It was aborted, so that is what it answers.
            drop(task.await);
        }
    }

    async fn intern(&self, queue: &QueueName) -> Result<i32> {
        if let Some(number) = self.shared.server.directory.number(queue) {
            return Ok(number);
        }
        self.shared.call(&Intern(queue)).await
    }

    /// Starts the task unless it runs, and waits until it listens.
    async fn start(&self) -> Result<()> {
        let mut started = self.listening();
        let outcome = started.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or_else(|| {
            Err(Error::new(ErrorKind::Internal, "subscribe", "the task that listens ended at once"))
        })
    }

    /// Whether the task listens; one that could not is followed by another.
    #[expect(clippy::disallowed_methods, reason = "the one task of the store, which `Wakeups` owns and ends")]
    fn listening(&self) -> watch::Receiver<Option<Result<()>>> {
        let mut listening = self.lock();
        if let Some(Listening { task, started }) = &*listening
            && !task.is_finished()
        {
            return started.clone();
        }
        let (starting, started) = watch::channel(None);
        // The runtime that the former ran on may have taken it with it, and with it what came since.
        let is_first = listening.is_none();
        let run = listener::run(self.shared.clone(), self.audience.clone(), starting, is_first);
        let task = tokio::spawn(run);
        *listening = Some(Listening { task, started: started.clone() });
        started
    }

    fn lock(&self) -> MutexGuard<'_, Option<Listening>> {
        self.listening.lock()
    }
}

impl Drop for Wakeups {
    fn drop(&mut self) {
        if let Some(Listening { task, .. }) = self.lock().take() {
            task.abort();
        }
    }
}

impl Audience {
    /// The name of a queue that somebody subscribed to.
    pub(super) fn name(&self, queue: i32) -> Option<QueueName> {
        self.lock().queues.get(&queue).cloned()
    }

    /// What a stream of every change holds on to, if there is one of this queue already.
    fn follower(&self, queue: i32) -> Option<Arc<()>> {
        self.lock().followed.get(&queue).and_then(Weak::upgrade)
    }

    /// The same, for the first one.
    fn begin_to_follow(&self, queue: i32) -> Arc<()> {
        let mut heard = self.lock();
        let alive = heard.followed.get(&queue).and_then(Weak::upgrade).unwrap_or_default();
        heard.followed.insert(queue, Arc::downgrade(&alive));
        alive
    }

    /// The queues of which somebody still wants to hear everything.
    pub(super) fn followed(&self) -> Vec<i32> {
        let mut heard = self.lock();
        heard.followed.retain(|_, alive| alive.strong_count() > 0);
        heard.followed.keys().copied().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.0.lock()
    }
}

/// Asks every process to tell of each change of these queues for a while.
pub(super) async fn follow(shared: &Shared, queues: &[i32]) -> Result<()> {
    let interval =
        i64::try_from(shared.options.probe_interval.as_millis()).unwrap_or(i64::MAX / FOLLOW_INTERVALS);
    shared.call(&Follow { queues, lasts_ms: interval.saturating_mul(FOLLOW_INTERVALS) }).await
}
