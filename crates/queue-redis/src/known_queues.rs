//! What a handle remembers of the queues that it was asked about.

use crate::{
    clock::{KnownTime, RedisClock},
    keys::{Namespace, QueueKeys, Spread},
};
use parking_lot::Mutex;
use queue_core::{QueueName, Timestamp};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// The queues that a handle was asked about. The memory grows with their number alone.
#[derive(Debug)]
pub(crate) struct KnownQueues {
    namespace: Namespace,
    spread: Spread,
    /// The time of no queue, and of all queues where one clock is read for all. On a Cluster each
    /// node has its own, and a queue that is met begins with this: the time that the last handle
    /// had learned when it was closed.
    time: Arc<KnownTime>,
    has_one_clock: bool,
    queues: Mutex<HashMap<QueueName, Arc<KnownQueue>>>,
}

/// One queue.
#[derive(Debug)]
pub(crate) struct KnownQueue {
    pub(crate) name: QueueName,
    pub(crate) keys: QueueKeys,
    pub(crate) time: Arc<KnownTime>,
    /// The number of the queue once known, else zero.
    number: AtomicU64,
}

impl KnownQueues {
    pub(crate) fn new(namespace: Namespace, spread: Spread, clock: &RedisClock) -> Self {
        let has_one_clock = spread == Spread::OneServer || clock.is_injected();
        Self {
            namespace,
            spread,
            time: Arc::new(clock.unknown_time()),
            has_one_clock,
            queues: Mutex::default(),
        }
    }

    pub(crate) fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    pub(crate) fn spread(&self) -> Spread {
        self.spread
    }

    /// The time of no queue.
    pub(crate) fn time(&self) -> &KnownTime {
        &self.time
    }

    /// The latest of the floors of store time over all known queues.
    pub(crate) fn latest(&self, clock: &RedisClock) -> Timestamp {
        let queues = self.queues.lock();
        let latest = queues.values().map(|queue| clock.floor(&queue.time)).max();
        latest.unwrap_or_default().max(clock.floor(&self.time))
    }

    pub(crate) fn get(&self, name: &QueueName) -> Arc<KnownQueue> {
        let mut queues = self.queues.lock();
        if let Some(known) = queues.get(name) {
            return known.clone();
        }
        let keys = self.namespace.queue(name, self.spread);
        let number = AtomicU64::new(0);
        let time = if self.has_one_clock { self.time.clone() } else { Arc::new(self.time.copy()) };
        let known = Arc::new(KnownQueue { name: name.clone(), keys, time, number });
        queues.insert(name.clone(), known.clone());
        known
    }
}

impl KnownQueue {
    /// The number, once it was registered.
    pub(crate) fn number(&self) -> Option<u64> {
        Some(self.number.load(Ordering::Acquire)).filter(|number| *number > 0)
    }

    pub(crate) fn set_number(&self, number: u64) {
        self.number.store(number, Ordering::Release);
    }
}
