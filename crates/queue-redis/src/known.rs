use crate::{
    clock::Told,
    keys::{Namespace, QueueKeys, Spread},
};
use queue_core::{QueueName, Timestamp};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// What a handle knows of the queues that it was asked about. It grows with their number alone.
#[derive(Debug)]
pub(crate) struct KnownQueues {
    namespace: Namespace,
    spread: Spread,
    /// Below this no queue tells a time: what the last handle that was closed had been told.
    floor: Told,
    queues: Mutex<HashMap<QueueName, Arc<KnownQueue>>>,
}

/// One queue.
#[derive(Debug)]
pub(crate) struct KnownQueue {
    pub(crate) name: QueueName,
    pub(crate) keys: QueueKeys,
    pub(crate) told: Told,
    /// Its number once known, else zero.
    number: AtomicU64,
}

impl KnownQueues {
    pub(crate) fn new(namespace: Namespace, spread: Spread) -> Self {
        Self { namespace, spread, floor: Told::default(), queues: Mutex::default() }
    }

    pub(crate) fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    pub(crate) fn spread(&self) -> Spread {
        self.spread
    }

    /// Time that is told of no queue.
    pub(crate) fn floor(&self) -> &Told {
        &self.floor
    }

    /// The highest time that this handle was told.
    pub(crate) fn told(&self) -> Timestamp {
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let highest = queues.values().map(|queue| queue.told.get()).max();
        highest.unwrap_or_default().max(self.floor.get())
    }

    pub(crate) fn get(&self, name: &QueueName) -> Arc<KnownQueue> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = queues.get(name) {
            return known.clone();
        }
        let keys = self.namespace.queue(name, self.spread);
        let number = AtomicU64::new(0);
        let told = Told::new(self.floor.get());
        let known = Arc::new(KnownQueue { name: name.clone(), keys, told, number });
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
