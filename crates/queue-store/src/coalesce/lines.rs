//! The calls of one verb of a handle, in a line for each runtime and key.

use super::{
    driver::Driver,
    first_call::{FirstCall, FirstCaller},
    line_key::LineKey,
    merged_verb::MergedVerb,
};
use crate::{BatchVerbs, PerRuntime, RuntimePart, Spawn, UnheardClaim};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Applied, Error, ErrorKind, Result, lifecycle::Transition};
use std::{
    collections::{HashMap, VecDeque},
    fmt,
    future::ready,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::sync::{
    oneshot::{self, error::RecvError},
    watch,
};

/// Bytes that requests of several callers bring in one call; a single request may bring more.
const BATCH_BYTES_MAX: usize = 16 << 20;

/// The calls of one verb of a handle.
///
/// A key has one line, or as many as its store wants side by side, and each has one call under way
/// at a time. Calls of different keys do not wait for each other. A caller that finds none under
/// way drives its call itself, so a lone call needs no task and no wake-up of one. The next caller
/// that comes meanwhile hands the call over to a task, the *driver*, which then sends all waiting
/// calls in one piece, until none waits any more.
///
/// So a caller never depends on another caller's future being polled: that future may be kept in a
/// `select!` whose other branch makes the second call. Nor does it depend on another runtime: each
/// has lines of its own ([`LineKey`]).
pub(super) struct Lines<V: MergedVerb, S>(Arc<LinesState<V, S>>);

/// What callers, drivers and returns share.
pub(super) struct LinesState<V: MergedVerb, S> {
    pub(super) store: Arc<S>,
    spawn: Arc<dyn Spawn>,
    /// The most lines of a key.
    width: usize,
    /// The lines that have a call under way.
    lines: Mutex<HashMap<LineKey<V::Key>, Line<V>>>,
    returns: PerRuntime<Returns>,
}

/// Each task of one runtime that may undo an answer without a receiver holds a `Receiver` of this.
struct Returns(watch::Sender<()>);

impl Default for Returns {
    fn default() -> Self {
        Self(watch::channel(()).0)
    }
}

impl RuntimePart for Returns {}

/// A line that has a call under way.
struct Line<V: MergedVerb> {
    /// That call, while its caller drives it.
    first: Option<Arc<FirstCall<V::Answer>>>,
    /// The requests that are sent next, in order of arrival.
    waiting: VecDeque<Waiting<V>>,
}

/// A request that was not sent yet.
pub(super) struct Waiting<V: MergedVerb> {
    pub(super) request: V::Request,
    pub(super) reply: oneshot::Sender<Result<V::Answer>>,
}

/// How a request joins its line.
enum Joined<V: MergedVerb, S: BatchVerbs> {
    /// The line has no call under way: the caller drives its own.
    First(FirstCaller<V, S>),
    Waits(Listener<V, S>),
}

impl<V: MergedVerb, S: BatchVerbs> Lines<V, S> {
    /// `width` is the most lines of a key, at least one.
    pub(super) fn new(store: Arc<S>, spawn: Arc<dyn Spawn>, width: usize) -> Self {
        let (lines, returns) = Default::default();
        Self(Arc::new(LinesState { store, spawn, width, lines, returns }))
    }

    /// Makes a call, perhaps in one with others.
    ///
    /// A request whose future is dropped before it is sent is not sent any more. One that is sent
    /// is carried to its end by a task, and [`MergedVerb::unheard`] says what is undone of its
    /// answer.
    pub(super) async fn call(&self, key: V::Key, request: V::Request) -> Result<V::Answer> {
        match self.0.join(LineKey::here(key), request) {
            Joined::First(call) => call.await,
            Joined::Waits(listener) => listener.await.unwrap_or_else(|_| Err(unanswered(V::NAME))),
        }
    }

    /// Makes a call by itself, beside others of its key.
    pub(super) async fn call_apart(&self, key: V::Key, request: V::Request) -> Result<V::Answer> {
        FirstCaller::apart(self.0.clone(), key, request).await
    }

    /// Waits until what callers of this runtime left behind is undone.
    pub(super) async fn rest(&self) {
        if let Some(returns) = self.0.returns.known_here() {
            returns.0.closed().await;
        }
    }
}

impl<V: MergedVerb, S: BatchVerbs> LinesState<V, S> {
    /// Joins a line that has no call under way, or else the one where the fewest wait.
    fn join(self: &Arc<Self>, mut key: LineKey<V::Key>, request: V::Request) -> Joined<V, S> {
        let mut lines = self.lock();
        self.choose(&lines, &mut key);
        let Some(line) = lines.get_mut(&key) else {
            let call = FirstCaller::new(self.clone(), key.clone(), request);
            lines.insert(key, Line { first: Some(call.first()), waiting: VecDeque::new() });
            return Joined::First(call);
        };
        let (reply, answer) = oneshot::channel();
        line.add(Waiting { request, reply });
        let first = line.first.take();
        drop(lines);
        if let Some(first) = first {
            self.drive(key, first);
        }
        Joined::Waits(Listener { state: self.clone(), answer })
    }

    fn choose(&self, lines: &HashMap<LineKey<V::Key>, Line<V>>, key: &mut LineKey<V::Key>) {
        if self.width > 1 {
            let mut waiting = |number: &usize| {
                key.number = *number;
                lines.get(key).map(|line| line.waiting.len())
            };
            key.number = (0..self.width).min_by_key(&mut waiting).unwrap_or_default();
        }
    }

    /// Takes a call out of its line, unless a driver has done so.
    pub(super) fn end(&self, key: &LineKey<V::Key>, first: &Arc<FirstCall<V::Answer>>) {
        let mut lines = self.lock();
        if lines.get(key).is_some_and(|line| line.has_first(first)) {
            lines.remove(key);
        }
    }

    /// The caller of a call that is under way has left.
    pub(super) fn carry(self: &Arc<Self>, key: LineKey<V::Key>, first: &Arc<FirstCall<V::Answer>>) {
        let take = |line: &mut Line<V>| if line.has_first(first) { line.first.take() } else { None };
        let first = self.lock().get_mut(&key).and_then(take);
        if let Some(first) = first {
            self.drive(key, first);
        }
    }

    fn drive(self: &Arc<Self>, key: LineKey<V::Key>, first: Arc<FirstCall<V::Answer>>) {
        self.spawn.spawn(Box::pin(Driver::new(self.clone(), key, first).run()));
    }

    /// The requests of the next call. If there are none, the next caller drives its call itself.
    pub(super) fn next(&self, key: &LineKey<V::Key>, weight_max: usize) -> Option<Vec<Waiting<V>>> {
        let mut lines = self.lock();
        let batch = lines.get_mut(key).map(|line| line.next(weight_max)).filter(|batch| !batch.is_empty());
        if batch.is_none() {
            lines.remove(key);
        }
        batch
    }

    /// No caller or task drives the line any more.
    pub(super) fn abandon(&self, key: &LineKey<V::Key>) {
        let line = self.lock().remove(key);
        for waiting in line.into_iter().flat_map(|line| line.waiting) {
            drop(waiting.reply.send(Err(not_sent(V::NAME))));
        }
    }

    /// Undoes an answer that reached no caller.
    pub(super) fn give_back(&self, unheard: Option<UnheardClaim>) {
        if let Some(unheard) = unheard {
            self.give_back_later(ready(Some(unheard)));
        }
    }

    /// The same once the answer is there.
    pub(super) fn give_back_later(
        &self,
        unheard: impl Future<Output = Option<UnheardClaim>> + Send + 'static,
    ) {
        let (store, returning) = (self.store.clone(), self.returning());
        self.spawn.spawn(Box::pin(async move {
            if let Some(unheard) = unheard.await {
                // A job that does not go back now lapses, or the sender of the claim finds it: both
                // ways are safe.
                drop(unheard.give_back_by(|batch| apply(&*store, batch)).await);
            }
            drop(returning);
        }));
    }

    pub(super) fn returning(&self) -> watch::Receiver<()> {
        self.returns.here(Returns::default).0.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<LineKey<V::Key>, Line<V>>> {
        self.lines.lock()
    }
}

impl<V: MergedVerb> Line<V> {
    fn has_first(&self, first: &Arc<FirstCall<V::Answer>>) -> bool {
        self.first.as_ref().is_some_and(|present| Arc::ptr_eq(present, first))
    }

    /// Callers that have left do not make the line any longer.
    fn add(&mut self, waiting: Waiting<V>) {
        if self.waiting.len() == self.waiting.capacity() {
            self.leave_out_the_gone();
        }
        self.waiting.push_back(waiting);
    }

    /// As many as fit one call.
    fn next(&mut self, weight_max: usize) -> Vec<Waiting<V>> {
        self.leave_out_the_gone();
        let (mut weight, mut bytes) = (0, 0);
        let fits = |waiting: &Waiting<V>| {
            weight += V::weight(&waiting.request);
            bytes += V::bytes(&waiting.request);
            weight <= weight_max && bytes <= BATCH_BYTES_MAX
        };
        let count = self.waiting.iter().take(V::CALLS_MAX).map(fits).take_while(|fits| *fits).count();
        // A single one always goes.
        self.waiting.drain(..count.max(1).min(self.waiting.len())).collect()
    }

    fn leave_out_the_gone(&mut self) {
        self.waiting.retain(|waiting| !waiting.reply.is_closed());
    }
}

/// A caller that waits for its part of a merged answer. An answer that came, and that the caller
/// did not look at, is undone.
struct Listener<V: MergedVerb, S: BatchVerbs> {
    state: Arc<LinesState<V, S>>,
    answer: oneshot::Receiver<Result<V::Answer>>,
}

impl<V: MergedVerb, S: BatchVerbs> Future for Listener<V, S> {
    type Output = Result<Result<V::Answer>, RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answer).poll(context)
    }
}

impl<V: MergedVerb, S: BatchVerbs> Drop for Listener<V, S> {
    fn drop(&mut self) {
        self.answer.close();
        if let Ok(Ok(answer)) = self.answer.try_recv() {
            self.state.give_back(V::unheard(answer));
        }
    }
}

async fn apply<S: BatchVerbs>(store: &S, batch: Vec<Transition>) -> Result<Vec<Applied>> {
    Ok(store.apply(batch).await?.value)
}

/// The error of a call that ended by a bug of the store.
pub(super) fn lost(operation: &'static str) -> Error {
    let message = "the call ended without an answer: its store panicked, or left it out";
    Error::new(ErrorKind::Internal, operation, message).unknown()
}

/// The error of a call that was sent, and whose runtime ended before its answer.
pub(super) fn unanswered(operation: &'static str) -> Error {
    let message = "the runtime of the call ended before its answer came";
    Error::new(ErrorKind::Unavailable, operation, message).unknown()
}

fn not_sent(operation: &'static str) -> Error {
    let message = "the task that was to send this ended; is its runtime shutting down?";
    Error::new(ErrorKind::Unavailable, operation, message)
}

impl<V: MergedVerb, S> fmt::Debug for Lines<V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").finish_non_exhaustive()
    }
}
