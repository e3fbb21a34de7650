//! Subscriptions of one handle: they start the task that listens, and tell it for which queues.

use super::{following_stream::FollowingStream, listener};
use crate::{
    call::call,
    handle::HandleState,
    verbs::{PostgresFollow, PostgresIntern},
};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Error, ErrorKind, EventStream, Interest, QueueName, Result};
use std::{
    collections::HashMap,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::{sync::watch, task::JoinHandle};

/// How many intervals of its renewal a request for every change holds.
const FOLLOW_INTERVALS: i64 = 4;

/// The subscribers of one handle, and the task that listens for them.
#[derive(Debug)]
pub(crate) struct Wakeups {
    handle: Arc<HandleState>,
    audience: Arc<Audience>,
    listener: Mutex<Option<ListenerTask>>,
}

/// The task that listens, and whether it does by now: `None` until that is known.
#[derive(Debug)]
struct ListenerTask {
    task: JoinHandle<()>,
    started: watch::Receiver<Option<Result<()>>>,
}

/// What became of the task that listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListenerState {
    /// Nobody has subscribed, or the connection is being made.
    Idle,
    /// It listens.
    Listening,
    /// It lost its connection and has no other yet, or it ended.
    Lost,
}

/// The queues that the task listens for.
#[derive(Debug, Default)]
pub(super) struct Audience {
    queues: Mutex<AudienceQueues>,
    /// Whether the task has a connection that listens.
    is_connected: AtomicBool,
}

#[derive(Debug, Default)]
struct AudienceQueues {
    queues: HashMap<i32, QueueName>,
    /// Queues of which a subscriber wants to hear every change, while its stream lives.
    followed: HashMap<i32, Weak<()>>,
}

impl Wakeups {
    pub(crate) fn new(handle: Arc<HandleState>) -> Self {
        Self { handle, audience: Arc::default(), listener: Mutex::default() }
    }

    /// Registers a subscriber, who hears of what is committed from now on.
    pub(crate) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let follows = interest == Interest::All;
        // The subscriber is registered before the task listens, so no notification finds nobody.
        let hints = self.handle.hub.subscribe(queue, interest);
        if !self.handle.options.is_listening() {
            return Ok(hints);
        }
        let number = self.intern(queue).await?;
        self.audience.lock().queues.insert(number, queue.clone());
        self.start().await?;
        if !follows {
            return Ok(hints);
        }
        if let Some(alive) = self.audience.follower(number) {
            return Ok(Box::pin(FollowingStream { hints, _alive: alive }));
        }
        follow(&self.handle, &[number]).await?;
        let alive = self.audience.begin_to_follow(number);
        Ok(Box::pin(FollowingStream { hints, _alive: alive }))
    }

    /// What became of the task that listens.
    pub(crate) fn listener_state(&self) -> ListenerState {
        match &*self.lock() {
            None => ListenerState::Idle,
            Some(listener) if listener.started.borrow().is_none() => ListenerState::Idle,
            Some(listener) if listener.task.is_finished() => ListenerState::Lost,
            Some(_) if self.audience.is_connected.load(Ordering::SeqCst) => ListenerState::Listening,
            Some(_) => ListenerState::Lost,
        }
    }

    /// Ends the task and its connection.
    pub(crate) async fn close(&self) {
        let listening = self.lock().take();
        if let Some(ListenerTask { task, .. }) = listening {
            task.abort();
            // The task was aborted, so how it ended says nothing.
            drop(task.await);
        }
    }

    async fn intern(&self, queue: &QueueName) -> Result<i32> {
        if let Some(number) = self.handle.names.number(queue) {
            return Ok(number);
        }
        call(&self.handle, &PostgresIntern(queue)).await
    }

    /// Starts the task unless it runs, and waits until it listens.
    async fn start(&self) -> Result<()> {
        let mut started = self.listening();
        let outcome = started.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or_else(|| {
            Err(Error::new(ErrorKind::Internal, "subscribe", "the task that listens ended at once"))
        })
    }

    /// Tells when the task listens. A task that ended, such as one that could not connect, is
    /// replaced.
    #[expect(clippy::disallowed_methods, reason = "the one task of the store, which `Wakeups` owns and ends")]
    fn listening(&self) -> watch::Receiver<Option<Result<()>>> {
        let mut listening = self.lock();
        if let Some(ListenerTask { task, started }) = &*listening
            && !task.is_finished()
        {
            return started.clone();
        }
        let (starting, started) = watch::channel(None);
        // A former task may have gone with its runtime; its subscribers missed what came since.
        let is_first = listening.is_none();
        let run = listener::run(self.handle.clone(), self.audience.clone(), starting, is_first);
        let task = tokio::spawn(run);
        *listening = Some(ListenerTask { task, started: started.clone() });
        started
    }

    fn lock(&self) -> MutexGuard<'_, Option<ListenerTask>> {
        self.listener.lock()
    }
}

impl Drop for Wakeups {
    fn drop(&mut self) {
        if let Some(ListenerTask { task, .. }) = self.lock().take() {
            task.abort();
        }
    }
}

impl Audience {
    /// Notes whether there is a connection that listens.
    pub(super) fn set_connected(&self, is_connected: bool) {
        self.is_connected.store(is_connected, Ordering::SeqCst);
    }

    /// The name of a queue that somebody subscribed to.
    pub(super) fn name(&self, queue: i32) -> Option<QueueName> {
        self.lock().queues.get(&queue).cloned()
    }

    /// The token that all streams of every change of a queue hold, if there is such a stream
    /// already.
    fn follower(&self, queue: i32) -> Option<Arc<()>> {
        self.lock().followed.get(&queue).and_then(Weak::upgrade)
    }

    /// The token for the first stream of every change of a queue.
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

    fn lock(&self) -> MutexGuard<'_, AudienceQueues> {
        self.queues.lock()
    }
}

/// Asks every process to tell of each change of these queues for a while.
pub(super) async fn follow(handle: &HandleState, queues: &[i32]) -> Result<()> {
    let interval =
        i64::try_from(handle.options.probe_interval.as_millis()).unwrap_or(i64::MAX / FOLLOW_INTERVALS);
    call(handle, &PostgresFollow { queues, lasts_ms: interval.saturating_mul(FOLLOW_INTERVALS) }).await
}
