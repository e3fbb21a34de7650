//! Merges concurrent calls of one verb in a task: whatever comes during a batch goes next.

use crate::{BatchVerbs, Spawn, coalesce::merged_verb::MergedVerb};
use futures_util::{
    FutureExt, StreamExt,
    future::{Either, pending, select},
    stream::FuturesUnordered,
};
use parking_lot::{Mutex, MutexGuard};
use queue_core::{Error, ErrorKind, Result, Stamped};
use std::{
    collections::{BTreeMap, BTreeSet},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::Arc,
};
use tokio::sync::{
    mpsc::{self, error::SendError},
    oneshot,
};

/// Calls that may wait in a lane; further callers wait for room.
const WAITING_MAX: usize = 16_384;
/// Bytes that calls of several callers bring in one batch; a single call may bring more.
const BATCH_BYTES_MAX: usize = 16 << 20;

/// How often a call starts the task of its lane before it gives up.
const STARTS_MAX: usize = 3;

/// Merges concurrent calls of one verb: while a batch is in flight, whatever comes waits, and goes
/// next in one piece. Nobody waits for a timer.
#[derive(Debug)]
pub(super) struct Lane<V: MergedVerb, S> {
    store: Arc<S>,
    spawn: Arc<dyn Spawn>,
    /// To the task that owns the lane. It is another one once a runtime took the former with it.
    calls: Mutex<mpsc::Sender<LaneCall<V>>>,
}

struct LaneCall<V: MergedVerb> {
    key: V::Key,
    items: Vec<V::Item>,
    reply: oneshot::Sender<Result<Stamped<Vec<V::Answer>>>>,
}

impl<V: MergedVerb, S: BatchVerbs> Lane<V, S> {
    /// Starts the task that owns the lane; it ends when the lane is dropped and the last call is
    /// answered.
    pub(super) fn start(store: Arc<S>, spawn: Arc<dyn Spawn>) -> Self {
        let calls = Mutex::new(start(store.clone(), &*spawn));
        Self { store, spawn, calls }
    }

    /// Joins the next batch. Dropping the future leaves the call to finish on its own and harms no
    /// other.
    pub(super) async fn call(&self, key: V::Key, items: Vec<V::Item>) -> Result<Stamped<Vec<V::Answer>>> {
        let (reply, answer) = oneshot::channel();
        let mut call = LaneCall { key, items, reply };
        for _ in 0..STARTS_MAX {
            let calls = self.lock().clone();
            match calls.send(call).await {
                Ok(()) => return answer.await.unwrap_or_else(|_| Err(lost(V::NAME))),
                Err(SendError(returned)) => call = returned,
            }
            self.restart(&calls);
        }
        let message = "the task that sends this ended at once; is its runtime shutting down?";
        Err(Error::new(ErrorKind::Unavailable, V::NAME, message))
    }

    /// A task that ended while the lane is there went with the runtime that it ran on; the present
    /// one gets another.
    fn restart(&self, ended: &mpsc::Sender<LaneCall<V>>) {
        let mut calls = self.lock();
        if calls.same_channel(ended) {
            *calls = start(self.store.clone(), &*self.spawn);
        }
    }

    fn lock(&self) -> MutexGuard<'_, mpsc::Sender<LaneCall<V>>> {
        self.calls.lock()
    }
}

fn start<V: MergedVerb, S: BatchVerbs>(store: Arc<S>, spawn: &dyn Spawn) -> mpsc::Sender<LaneCall<V>> {
    let (calls, inbox) = mpsc::channel(WAITING_MAX);
    spawn.spawn(Box::pin(run::<V, S>(store, inbox)));
    calls
}

/// One batch of each key at a time, and those of different keys side by side: a key whose call
/// hangs holds up no other.
async fn run<V: MergedVerb, S: BatchVerbs>(store: Arc<S>, mut inbox: mpsc::Receiver<LaneCall<V>>) {
    let weight_max = store.limits().batch_max;
    let mut waiting = WaitingCalls::default();
    let mut arrived = Vec::new();
    let mut under_way = FuturesUnordered::new();
    let mut is_open = true;
    while is_open || !under_way.is_empty() {
        let event = {
            let ends = pin!(async {
                match under_way.next().await {
                    Some(key) => key,
                    None => pending().await,
                }
            });
            let reads = is_open && waiting.count < WAITING_MAX;
            let comes = pin!(async {
                if reads { inbox.recv_many(&mut arrived, WAITING_MAX).await } else { pending().await }
            });
            match select(ends, comes).await {
                Either::Left((key, _)) => Either::Left(key),
                Either::Right((count, _)) => Either::Right(count),
            }
        };
        match event {
            Either::Left(key) => waiting.ended(&key),
            Either::Right(count) => is_open = count > 0,
        }
        arrived.drain(..).for_each(|call| waiting.add(call));
        under_way.extend(waiting.next().into_iter().map(|(key, calls)| {
            let store = store.clone();
            async move {
                for batch in batches(calls, weight_max) {
                    send(&*store, batch).await;
                }
                key
            }
        }));
    }
}

/// What has come and is not on its way, by key.
struct WaitingCalls<V: MergedVerb> {
    calls: BTreeMap<V::Key, Vec<LaneCall<V>>>,
    /// How many these are.
    count: usize,
    /// The keys that have a batch on its way.
    busy: BTreeSet<V::Key>,
}

impl<V: MergedVerb> Default for WaitingCalls<V> {
    fn default() -> Self {
        Self { calls: BTreeMap::new(), count: 0, busy: BTreeSet::new() }
    }
}

impl<V: MergedVerb> WaitingCalls<V> {
    fn add(&mut self, call: LaneCall<V>) {
        self.count += 1;
        self.calls.entry(call.key.clone()).or_default().push(call);
    }

    fn ended(&mut self, key: &V::Key) {
        self.busy.remove(key);
    }

    /// All of each key that is free, which is not any more. The order of keys is theirs, so that a
    /// seeded run repeats.
    fn next(&mut self) -> Vec<(V::Key, Vec<LaneCall<V>>)> {
        let busy = &mut self.busy;
        let count = &mut self.count;
        let keys: Vec<_> = self.calls.keys().filter(|key| !busy.contains(*key)).cloned().collect();
        let free: Vec<_> = keys.into_iter().filter_map(|key| self.calls.remove_entry(&key)).collect();
        for (key, calls) in &free {
            busy.insert(key.clone());
            *count -= calls.len();
        }
        free
    }
}

/// What is to go out in one call.
struct Batch<V: MergedVerb> {
    calls: Vec<LaneCall<V>>,
    weight: usize,
    bytes: usize,
}

impl<V: MergedVerb> Default for Batch<V> {
    fn default() -> Self {
        Self { calls: Vec::new(), weight: 0, bytes: 0 }
    }
}

/// Splits what waits so that each part fits one call of the store. The order is kept.
fn batches<V: MergedVerb>(calls: Vec<LaneCall<V>>, weight_max: usize) -> Vec<Vec<LaneCall<V>>> {
    let mut full = Vec::new();
    let mut batch = Batch::<V>::default();
    for call in calls {
        let weight = call.items.iter().map(V::weight).sum::<usize>();
        let bytes = call.items.iter().map(V::bytes).sum::<usize>();
        let fits = batch.weight + weight <= weight_max && batch.bytes + bytes <= BATCH_BYTES_MAX;
        if !fits && !batch.calls.is_empty() {
            full.push(std::mem::take(&mut batch).calls);
        }
        batch.weight += weight;
        batch.bytes += bytes;
        batch.calls.push(call);
    }
    full.push(batch.calls);
    full
}

async fn send<V: MergedVerb, S: BatchVerbs>(store: &S, batch: Vec<LaneCall<V>>) {
    if batch.len() == 1 {
        return send_each(store, batch).await;
    }
    let Some(key) = batch.first().map(|call| call.key.clone()) else { return };
    let items = batch.iter().flat_map(|call| call.items.iter().cloned()).collect();
    match guarded::<V, S>(store, key, items).await {
        Ok(answers) => answer_each(batch, answers),
        // Somebody's input was refused; nothing happened, so each may try alone.
        Err(error) if error.kind() == ErrorKind::Invalid => send_each(store, batch).await,
        Err(error) => batch.into_iter().for_each(|call| drop(call.reply.send(Err(error.clone())))),
    }
}

/// One by one, without a copy of what they bring.
async fn send_each<V: MergedVerb, S: BatchVerbs>(store: &S, batch: Vec<LaneCall<V>>) {
    for LaneCall { key, items, reply } in batch {
        let count = items.len();
        let answer = guarded::<V, S>(store, key, items).await;
        drop(reply.send(answer.and_then(|answers| complete::<V>(answers, count))));
    }
}

/// A panic in a store costs the calls of one batch, not the lane.
async fn guarded<V: MergedVerb, S: BatchVerbs>(
    store: &S,
    key: V::Key,
    items: Vec<V::Item>,
) -> Result<Stamped<Vec<V::Answer>>> {
    let call = AssertUnwindSafe(V::call(store, key, items)).catch_unwind();
    call.await.unwrap_or_else(|_panic| Err(lost(V::NAME)))
}

fn answer_each<V: MergedVerb>(batch: Vec<LaneCall<V>>, answers: Stamped<Vec<V::Answer>>) {
    let moment = answers.moment();
    let mut answers = answers.value.into_iter();
    for call in batch {
        let value: Vec<V::Answer> = answers.by_ref().take(call.items.len()).collect();
        drop(call.reply.send(complete::<V>(Stamped::at(moment, value), call.items.len())));
    }
}

/// An answer for each item.
fn complete<V: MergedVerb>(
    answers: Stamped<Vec<V::Answer>>,
    count: usize,
) -> Result<Stamped<Vec<V::Answer>>> {
    if answers.value.len() == count { Ok(answers) } else { Err(lost(V::NAME)) }
}

pub(super) fn lost(operation: &'static str) -> Error {
    let message = "the batch ended without an answer: its store panicked, or its runtime ended";
    Error::new(ErrorKind::Internal, operation, message).unknown()
}

impl<V: MergedVerb> std::fmt::Debug for LaneCall<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LaneCall").field("items", &self.items.len()).finish_non_exhaustive()
    }
}
