//! Hands hints to the subscribers of one process.

use crate::News;
use futures_core::Stream;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{CompletedJob, EventStream, Hint, Interest, JobChange, JobId, QueueName, State};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    pin::Pin,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
};
use tokio::sync::mpsc;

/// A subscriber that is this many hints behind gets the hint that it missed some.
pub(super) const BACKLOG_MAX: usize = 1024;

/// Hands hints to the subscribers of one process. Stores share it: they publish after a commit, and
/// say [`missed`](Self::missed) when others wrote or a connection was lost.
///
/// Publishing never blocks: a slow subscriber loses hints and learns that it did.
#[derive(Debug, Default)]
pub struct Hub {
    registry: Mutex<Registry>,
    next_key: AtomicU64,
}

#[derive(Debug, Default)]
struct Registry {
    queues: BTreeMap<QueueName, Channels>,
    closed: bool,
}

/// Who listens to one queue. Ordered maps, so that a seeded run wakes subscribers in the same order
/// again.
#[derive(Debug, Default)]
struct Channels {
    wake: BTreeMap<u64, Sender>,
    jobs: BTreeMap<JobId, BTreeMap<u64, Sender>>,
    all: BTreeMap<u64, Sender>,
}

#[derive(Clone, Debug)]
struct Sender {
    hints: mpsc::Sender<Hint>,
    missed: Arc<AtomicBool>,
}

impl Hub {
    /// Registers a subscriber; hints published from now on reach it. Dropping the stream
    /// unregisters it.
    pub fn subscribe(self: &Arc<Self>, queue: &QueueName, interest: Interest) -> EventStream {
        // Waking coalesces: one hint in the mailbox says all there is to say.
        let backlog = if interest == Interest::Wake { 1 } else { BACKLOG_MAX };
        let (hints, mailbox) = mpsc::channel(backlog);
        let sender = Sender { hints, missed: Arc::default() };
        let key = self.next_key.fetch_add(1, Ordering::Relaxed);
        let missed = sender.missed.clone();
        let mut registry = self.lock();
        if !registry.closed {
            registry.queues.entry(queue.clone()).or_default().add(key, &interest, &sender);
        }
        let hub = Arc::downgrade(self);
        Box::pin(Subscription { mailbox, missed, hub, queue: queue.clone(), interest, key })
    }

    /// A claim on the queue may now find something.
    pub fn wake(&self, queue: &QueueName) {
        if let Some(channels) = self.lock().queues.get(queue) {
            channels.wake.values().for_each(|sender| sender.send(Hint::Wake));
        }
    }

    /// A job changed. Subscribers to its id get a hint when it is terminal or removed.
    pub fn changed(&self, queue: &QueueName, change: &JobChange) {
        self.ended(queue, change);
        self.followed(queue, change);
    }

    /// The part of [`changed`](Self::changed) that is for subscribers who asked for the id of the
    /// job.
    pub fn ended(&self, queue: &QueueName, change: &JobChange) {
        let ended = change.state.is_none_or(State::is_terminal);
        let registry = self.lock();
        let channels = registry.queues.get(queue).filter(|_| ended);
        if let Some(of_id) = channels.and_then(|channels| channels.jobs.get(&change.id)) {
            for sender in of_id.values() {
                sender.send(Hint::Job(change.clone()));
            }
        }
    }

    /// [`changed`](Self::changed) for a store that has the result at hand: subscribers to the id
    /// need not read it. The record of that revision has to have exactly this result.
    pub fn completed(&self, queue: &QueueName, job: &CompletedJob) {
        self.ended_with(queue, job);
        self.followed(queue, &job.change());
    }

    /// The part of [`completed`](Self::completed) that is for subscribers who asked for the id of
    /// the job.
    pub fn ended_with(&self, queue: &QueueName, job: &CompletedJob) {
        if let Some(channels) = self.lock().queues.get(queue) {
            for sender in channels.jobs.get(&job.id).into_iter().flat_map(BTreeMap::values) {
                sender.send(Hint::Completed(Box::new(job.clone())));
            }
        }
    }

    /// The part of [`changed`](Self::changed) that is for subscribers to every change.
    pub fn followed(&self, queue: &QueueName, change: &JobChange) {
        if let Some(channels) = self.lock().queues.get(queue) {
            for sender in channels.all.values() {
                sender.send(Hint::Job(change.clone()));
            }
        }
    }

    /// Another handle wrote to one queue, and which jobs is unknown: subscribers to its jobs get
    /// the hint to read again, and subscribers that claim from it are woken if there is a reason
    /// to. Subscribers of other queues are not woken.
    ///
    /// Returns whether there was a subscriber.
    pub fn tell(&self, queue: &QueueName, news: News) -> bool {
        let registry = self.lock();
        let Some(channels) = registry.queues.get(queue) else { return false };
        let of_jobs = channels.of_jobs().map(|sender| sender.send(Hint::Missed)).count();
        let wakes = channels.wake.values().filter(|_| news == News::Wakes);
        of_jobs + wakes.map(|sender| sender.send(Hint::Wake)).count() > 0
    }

    /// Anything may have changed: every subscriber shall read again.
    pub fn missed(&self) {
        let registry = self.lock();
        for channels in registry.queues.values() {
            channels.every().for_each(|sender| sender.send(Hint::Missed));
        }
    }

    /// Whether there are subscribers at all, so that a store may save itself the work.
    pub fn has_subscribers(&self) -> bool {
        !self.lock().queues.is_empty()
    }

    /// Ends every stream, now and later.
    pub fn close(&self) {
        let mut registry = self.lock();
        registry.closed = true;
        registry.queues.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock()
    }

    fn unsubscribe(&self, queue: &QueueName, interest: &Interest, key: u64) {
        let mut registry = self.lock();
        if let Some(channels) = registry.queues.get_mut(queue) {
            channels.remove(key, interest);
            if channels.every().next().is_none() {
                registry.queues.remove(queue);
            }
        }
    }
}

impl Channels {
    fn add(&mut self, key: u64, interest: &Interest, sender: &Sender) {
        match interest {
            Interest::Wake => drop(self.wake.insert(key, sender.clone())),
            Interest::All => drop(self.all.insert(key, sender.clone())),
            Interest::Jobs(ids) => {
                for id in ids {
                    self.jobs.entry(id.clone()).or_default().insert(key, sender.clone());
                }
            }
        }
    }

    fn remove(&mut self, key: u64, interest: &Interest) {
        match interest {
            Interest::Wake => drop(self.wake.remove(&key)),
            Interest::All => drop(self.all.remove(&key)),
            Interest::Jobs(ids) => {
                for id in ids {
                    if let Entry::Occupied(mut senders) = self.jobs.entry(id.clone()) {
                        senders.get_mut().remove(&key);
                        if senders.get().is_empty() {
                            senders.remove();
                        }
                    }
                }
            }
        }
    }

    fn every(&self) -> impl Iterator<Item = &Sender> {
        self.wake.values().chain(self.of_jobs())
    }

    fn of_jobs(&self) -> impl Iterator<Item = &Sender> {
        self.all.values().chain(self.jobs.values().flat_map(BTreeMap::values))
    }
}

impl Sender {
    fn send(&self, hint: Hint) {
        let full = matches!(self.hints.try_send(hint), Err(mpsc::error::TrySendError::Full(_)));
        if full && self.hints.max_capacity() > 1 {
            self.missed.store(true, Ordering::Release);
            // The subscriber may have emptied its mailbox since, and sleep: then there is room for
            // this to wake it.
            drop(self.hints.try_send(Hint::Missed));
        }
    }
}

struct Subscription {
    mailbox: mpsc::Receiver<Hint>,
    missed: Arc<AtomicBool>,
    hub: Weak<Hub>,
    queue: QueueName,
    interest: Interest,
    key: u64,
}

impl Stream for Subscription {
    type Item = Hint;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Hint>> {
        if self.missed.swap(false, Ordering::AcqRel) {
            return Poll::Ready(Some(Hint::Missed));
        }
        self.mailbox.poll_recv(context)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.upgrade() {
            hub.unsubscribe(&self.queue, &self.interest, self.key);
        }
    }
}
