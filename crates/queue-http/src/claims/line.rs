//! The lines in which claims wait: one for each queue in each runtime that serves claims, so that a
//! stalled runtime holds up only its own lines.
//!
//! The first claim of a line watches for jobs on behalf of all: it holds the subscription, sleeps
//! until the store may have a job, and asks. A line costs the store as much as one idle worker,
//! however many claims wait in it, and a new job wakes one of them. A claim that got all it asked
//! for lets two others ask at once, so that a line shrinks as fast as jobs arrive.
//!
//! Invariants kept here: a claim is never overtaken by a later one of the same queue, unless a
//! success let the later one ask; a claim that leaves the line, in any way, passes the watch to the
//! next.

use crate::service::App;
use futures_util::StreamExt;
use parking_lot::Mutex;
use queue_core::{
    Claimed, Error, EventStream, Interest, Moment, Pause, QueueName, Timestamp, asking::NextAsk,
};
use std::{collections::HashMap, future, sync::Arc, time::Duration};
use tokio::{
    runtime::{Handle, Id},
    sync::Semaphore,
    time::{Instant, sleep_until, timeout},
};

/// The time between two asks of a line whose store has promised nothing, since hints may be lost.
const POLL: Duration = Duration::from_secs(1);
/// The longest wait for a subscription: hints save time, so they must not cost more than they save.
const SUBSCRIBE_MAX: Duration = Duration::from_millis(100);
/// How many others may ask after one of the line got all that it had asked for.
const MELTING: usize = 2;

/// The lines of all queues in which a claim waits.
#[derive(Debug, Default)]
pub(super) struct Lines(SharedLines);

type SharedLines = Arc<Mutex<HashMap<LineKey, Arc<Line>>>>;

/// A runtime and a queue.
type LineKey = (Option<Id>, QueueName);

/// The line of one queue.
#[derive(Debug)]
pub(super) struct Line {
    /// Has one permit, which is handed from the first to the second, in the order of their arrival.
    first: Semaphore,
    /// Permits for those who may ask although they are not the first.
    asks: Semaphore,
    state: Mutex<LineState>,
}

#[derive(Debug, Default)]
struct LineState {
    waiting: usize,
    /// The watch of the first claim, while no claim is the first.
    watch: Option<Watch>,
    last: Option<LastAnswer>,
}

/// What the store said last.
#[derive(Clone, Copy, Debug)]
struct LastAnswer {
    next_due: Option<Timestamp>,
    pause: Pause,
    now: Timestamp,
    clock: Timestamp,
    at: Instant,
}

/// A place in a line, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    lines: SharedLines,
    key: LineKey,
    pub(super) line: Arc<Line>,
}

/// What the first of a line watches with.
pub(super) struct Watch {
    hints: Option<EventStream>,
    pub(super) next_ask: NextAsk,
}

impl Lines {
    /// Whether a claim of this runtime waits for jobs of this queue.
    pub(super) fn has(&self, queue: &QueueName) -> bool {
        self.0.lock().contains_key(&key(queue))
    }

    /// Joins the line of a queue.
    pub(super) fn join(&self, queue: &QueueName) -> Place {
        let mut lines = self.0.lock();
        let key = key(queue);
        let line = lines.entry(key.clone()).or_insert_with(|| Arc::new(Line::new())).clone();
        line.state.lock().waiting += 1;
        Place { lines: self.0.clone(), key, line }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lines = self.lines.lock();
        let mut state = self.line.state.lock();
        state.waiting -= 1;
        if state.waiting == 0 {
            lines.remove(&self.key);
        }
    }
}

impl Line {
    fn new() -> Self {
        Self { first: Semaphore::new(1), asks: Semaphore::new(0), state: Mutex::default() }
    }

    /// Waits until one is the first.
    pub(super) async fn is_first(&self) -> tokio::sync::SemaphorePermit<'_> {
        self.first.acquire().await.expect("the semaphore is never closed")
    }

    /// Waits until one may ask although one is not the first.
    pub(super) async fn may_ask(&self) {
        self.asks.acquire().await.expect("the semaphore is never closed").forget();
    }

    /// Lets others ask after a claim that got all it asked for, and withdraws unused permits after
    /// any other.
    pub(super) fn melt(&self, got: usize, limit: usize, claimed: &Claimed) {
        let is_more = claimed.next_due.is_some_and(|at| at <= claimed.now);
        if got >= limit || (got > 0 && is_more) {
            let others = self.state.lock().waiting.saturating_sub(1);
            let wanted = MELTING.min(others.saturating_sub(self.asks.available_permits()));
            self.asks.add_permits(wanted);
        } else {
            self.asks.forget_permits(usize::MAX >> 4);
        }
    }

    /// Takes what the last first one watched with.
    pub(super) fn take_watch(&self) -> Option<Watch> {
        self.state.lock().watch.take()
    }

    /// Leaves it to the next first one.
    pub(super) fn leave_watch(&self, watch: Watch) {
        self.state.lock().watch = Some(watch);
    }

    /// Notes what the store said.
    pub(super) fn note(&self, claimed: &Claimed) {
        let Claimed { next_due, pause, now, clock, .. } = *claimed;
        self.state.lock().last = Some(LastAnswer { next_due, pause, now, clock, at: Instant::now() });
    }

    /// The answer without jobs for a claim whose wait is over; `None` if the store has not answered
    /// yet.
    pub(super) fn nothing(&self) -> Option<Claimed> {
        let last = self.state.lock().last?;
        let now = last.now + queue_core::Span::at_most(last.at.elapsed());
        let nothing = Claimed::none(last.next_due, Moment { now, clock: last.clock });
        Some(Claimed { pause: last.pause.at(now), ..nothing })
    }
}

impl Watch {
    /// Subscribes. An ask that follows finds what came before.
    pub(super) async fn begin(app: &App, queue: &QueueName) -> Self {
        let mut watch = Self { hints: None, next_ask: NextAsk::for_claims(POLL) };
        watch.subscribe(app, queue).await;
        watch
    }

    async fn subscribe(&mut self, app: &App, queue: &QueueName) {
        // An error that matters occurs again in the next claim.
        let subscribing = timeout(SUBSCRIBE_MAX, app.storage.subscribe(queue, Interest::Wake)).await;
        self.hints = subscribing.ok().and_then(Result::ok);
    }

    /// Waits until it is time to ask. Dropping the future loses no hint.
    pub(super) async fn rest(&mut self, app: &App, queue: &QueueName) {
        if self.hints.is_none() {
            self.subscribe(app, queue).await;
        }
        while let Some(until) = self.next_ask.rests_until() {
            let listens = self.next_ask.listens();
            tokio::select! {
                hint = next(&mut self.hints), if listens => {
                    let now = Instant::now().into_std();
                    if let Some(hint) = hint {
                        self.next_ask.hinted(now, &hint);
                    } else {
                        self.hints = None;
                        self.next_ask.stream_ended(now, &*app.rng);
                    }
                }
                () = sleep_until(until.into()) => return,
            }
        }
    }

    /// Notes the answer of an ask.
    pub(super) fn note(&mut self, app: &App, answer: Result<(&Claimed, usize), &Error>, limit: usize) {
        let now = Instant::now().into_std();
        match answer {
            Ok((claimed, got)) => {
                let _ = self.next_ask.claimed(now, claimed, got, limit, &*app.rng);
            }
            Err(_) => {
                let _ = self.next_ask.failed(now, &*app.rng);
            }
        }
    }
}

fn key(queue: &QueueName) -> LineKey {
    (Handle::try_current().ok().map(|runtime| runtime.id()), queue.clone())
}

async fn next(hints: &mut Option<EventStream>) -> Option<queue_core::Hint> {
    match hints {
        Some(hints) => hints.next().await,
        None => future::pending().await,
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("next_ask", &self.next_ask).finish_non_exhaustive()
    }
}
