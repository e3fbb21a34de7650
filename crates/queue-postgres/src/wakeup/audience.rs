//! The queues that one runtime listens for.

use parking_lot::{Mutex, MutexGuard};
use queue_core::QueueName;
use std::{
    collections::HashMap,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

/// The queues that the task which listens is asked for.
#[derive(Debug, Default)]
pub(super) struct Audience {
    queues: Mutex<AudienceQueues>,
    /// Whether the task has a connection that listens.
    is_connected: AtomicBool,
}

#[derive(Debug, Default)]
struct AudienceQueues {
    queues: HashMap<i32, QueueName>,
    /// Queues of which a subscriber follows every change, while its stream lives.
    followed: HashMap<i32, Weak<()>>,
}

impl Audience {
    /// Whether there is a connection that listens.
    pub(super) fn is_connected(&self) -> bool {
        self.is_connected.load(Ordering::SeqCst)
    }

    /// Notes whether there is a connection that listens.
    pub(super) fn set_connected(&self, is_connected: bool) {
        self.is_connected.store(is_connected, Ordering::SeqCst);
    }

    /// Notes the name of a queue that has a subscriber.
    pub(super) fn add(&self, queue: i32, name: &QueueName) {
        self.lock().queues.insert(queue, name.clone());
    }

    /// The name of a queue that has had a subscriber.
    pub(super) fn name(&self, queue: i32) -> Option<QueueName> {
        self.lock().queues.get(&queue).cloned()
    }

    /// The token that all streams of every change of a queue hold, if there is such a stream
    /// already.
    pub(super) fn follower(&self, queue: i32) -> Option<Arc<()>> {
        self.lock().followed.get(&queue).and_then(Weak::upgrade)
    }

    /// The token for the first stream of every change of a queue.
    pub(super) fn begin_to_follow(&self, queue: i32) -> Arc<()> {
        let mut heard = self.lock();
        let alive = heard.followed.get(&queue).and_then(Weak::upgrade).unwrap_or_default();
        heard.followed.insert(queue, Arc::downgrade(&alive));
        alive
    }

    /// The queues of which a subscriber still follows everything.
    pub(super) fn followed(&self) -> Vec<i32> {
        let mut heard = self.lock();
        heard.followed.retain(|_, alive| alive.strong_count() > 0);
        heard.followed.keys().copied().collect()
    }

    fn lock(&self) -> MutexGuard<'_, AudienceQueues> {
        self.queues.lock()
    }
}
