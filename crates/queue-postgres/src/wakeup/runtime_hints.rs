//! Subscriptions of one runtime: they start the task that listens, and tell it for which queues.

use super::{
    audience::Audience, following_stream::FollowingStream, listener::Listener, runtime_hub::RuntimeHub,
    wakeups::ListenerState,
};
use crate::{
    call::call,
    handle::{HandleState, new_origin},
    verbs::{PostgresFollow, PostgresIntern},
};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Error, ErrorKind, EventStream, Interest, QueueName, Result, SystemRng};
use queue_store::{Hub, RuntimePart};
use std::sync::Arc;
use tokio::{sync::watch, task::JoinHandle};

/// How many intervals of its renewal a request for every change holds.
const FOLLOW_INTERVALS: i64 = 4;

/// The subscribers of a handle on one runtime, and the task that listens for them once there is
/// one.
#[derive(Debug)]
pub(super) struct RuntimeHints {
    handle: Arc<HandleState>,
    hub: Arc<Hub>,
    audience: Arc<Audience>,
    listener: Mutex<Option<ListenerTask>>,
}

/// The task that listens, and whether it does by now: `None` until that is known.
#[derive(Debug)]
struct ListenerTask {
    task: JoinHandle<()>,
    started: watch::Receiver<Option<Result<()>>>,
}

impl RuntimeHints {
    pub(super) fn new(handle: Arc<HandleState>) -> Self {
        let hub = handle.hubs.here(RuntimeHub::default).hub.clone();
        Self { handle, hub, audience: Arc::default(), listener: Mutex::default() }
    }

    /// Registers a subscriber, which gets the hints of what is committed from now on.
    pub(super) async fn subscribe(&self, queue: &QueueName, interest: Interest) -> Result<EventStream> {
        let follows = interest == Interest::All;
        // The subscriber is registered before the task listens, so each notification finds it.
        let hints = self.hub.subscribe(queue, interest);
        if !self.handle.options.is_listening() {
            return Ok(hints);
        }
        let number = self.intern(queue).await?;
        self.audience.add(number, queue);
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

    /// The state of the task that listens.
    pub(super) fn listener_state(&self) -> ListenerState {
        match &*self.lock() {
            None => ListenerState::Idle,
            Some(listener) if listener.started.borrow().is_none() => ListenerState::Idle,
            Some(listener) if listener.task.is_finished() => ListenerState::Lost,
            Some(_) if self.audience.is_connected() => ListenerState::Listening,
            Some(_) => ListenerState::Lost,
        }
    }

    /// Ends the task with its connection, which is left to be waited for.
    pub(super) fn close(&self) -> Option<JoinHandle<()>> {
        let ListenerTask { task, .. } = self.lock().take()?;
        task.abort();
        Some(task)
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
        outcome.unwrap_or_else(|| Err(self.ended()))
    }

    /// Says when the task listens. A task that could not connect is replaced.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one task of the runtime, which `RuntimeHints` owns and ends"
    )]
    fn listening(&self) -> watch::Receiver<Option<Result<()>>> {
        let mut listening = self.lock();
        if let Some(ListenerTask { task, started }) = &*listening
            && !task.is_finished()
        {
            return started.clone();
        }
        let (starting, started) = watch::channel(None);
        let listener = Listener {
            handle: self.handle.clone(),
            hub: self.hub.clone(),
            audience: self.audience.clone(),
            origin: new_origin(&SystemRng),
        };
        let task = tokio::spawn(listener.run(starting));
        *listening = Some(ListenerTask { task, started: started.clone() });
        started
    }

    /// Why the task does not listen.
    fn ended(&self) -> Error {
        let gone = "the runtime that hints came in on has ended; subscribe again";
        let open = self.handle.check_open("subscribe");
        open.err().unwrap_or_else(|| Error::new(ErrorKind::Unavailable, "subscribe", gone))
    }

    fn lock(&self) -> MutexGuard<'_, Option<ListenerTask>> {
        self.listener.lock()
    }
}

/// Its subscribers are a part of their own, which ends their streams.
impl RuntimePart for RuntimeHints {}

/// A handle that is dropped without being closed ends the task too.
impl Drop for RuntimeHints {
    fn drop(&mut self) {
        drop(self.close());
    }
}

/// Asks every process to tell of each change of these queues for a while.
pub(super) async fn follow(handle: &HandleState, queues: &[i32]) -> Result<()> {
    let interval =
        i64::try_from(handle.options.probe_interval.as_millis()).unwrap_or(i64::MAX / FOLLOW_INTERVALS);
    call(handle, &PostgresFollow { queues, lasts_ms: interval.saturating_mul(FOLLOW_INTERVALS) }).await
}
