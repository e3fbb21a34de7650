//! The workers that an operator asked to drain or to pause, as the store knows them.
//!
//! Several servers share a store, and a worker talks to any of them: one server answers its
//! announcement, another its claim, and an operator asks at a third. So the store alone knows the
//! duties, and a server reads all of them at once, as long as workers ask: one read in
//! [`FRESH_FOR`], however many claims come and wait.

use parking_lot::Mutex;
use queue_core::{Duty, Storage, WorkerId, WorkerInfo};
use std::{collections::HashMap, time::Duration};
use tokio::{
    sync::{Mutex as AsyncMutex, watch},
    time::{Instant, sleep, timeout},
};

/// How old an answer of the store may be.
const FRESH_FOR: Duration = Duration::from_secs(1);
/// The longest that a claim waits for the store to tell duties. After that the last answer counts.
const READ_MAX: Duration = Duration::from_secs(1);

/// The workers that are not to work as usual.
#[derive(Debug, Default)]
pub(crate) struct Duties {
    known: Mutex<HashMap<WorkerId, Known>>,
    /// When the store was asked last. Held while it is asked, so that callers share the answer.
    asked_at: AsyncMutex<Option<Instant>>,
    /// Notifies waiting claims of changes.
    changes: watch::Sender<()>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    duty: Duty,
    at: Instant,
}

impl Duties {
    /// What a worker is to do, from an answer of the store that is at most [`FRESH_FOR`] old. If
    /// the store does not answer, what it said before counts.
    pub(crate) async fn of(&self, store: &dyn Storage, worker: &WorkerId) -> Duty {
        self.refresh(store).await;
        self.last_of(worker)
    }

    /// What a worker is to do, by the last answer of the store.
    pub(crate) fn last_of(&self, worker: &WorkerId) -> Duty {
        self.known.lock().get(worker).map_or(Duty::Work, |known| known.duty)
    }

    /// Waits until a worker has another duty than this.
    pub(crate) async fn changed_from(&self, store: &dyn Storage, worker: &WorkerId, duty: Duty) {
        let mut changes = self.changes.subscribe();
        while self.of(store, worker).await == duty {
            tokio::select! {
                _changed = changes.changed() => {}
                () = sleep(FRESH_FOR) => {}
            }
        }
    }

    /// Notes how the store answered an announcement, or a request of an operator, just now.
    pub(crate) fn note(&self, worker: &WorkerId, duty: Duty) {
        let mut known = self.known.lock();
        // A worker that works is noted only where an answer that is on its way may say otherwise.
        if duty == Duty::Work && !known.contains_key(worker) {
            return;
        }
        let before = known.insert(worker.clone(), Known { duty, at: Instant::now() });
        drop(known);
        if before.is_none_or(|before| before.duty != duty) {
            self.changes.send_replace(());
        }
    }

    async fn refresh(&self, store: &dyn Storage) {
        let mut asked_at = self.asked_at.lock().await;
        let now = Instant::now();
        let is_fresh = asked_at.is_some_and(|at| now.saturating_duration_since(at) < FRESH_FOR);
        if is_fresh || !store.capabilities().presence {
            return;
        }
        *asked_at = Some(now);
        if let Ok(Ok(workers)) = timeout(READ_MAX, store.workers()).await {
            self.replace(&workers, now);
        }
    }

    /// Takes over what the store said. What was noted since it was asked is newer.
    fn replace(&self, workers: &[WorkerInfo], asked_at: Instant) {
        let mut known = self.known.lock();
        let asked = workers.iter().filter(|worker| worker.duty != Duty::Work);
        let mut now: HashMap<_, _> =
            asked.map(|worker| (worker.id.clone(), Known { duty: worker.duty, at: asked_at })).collect();
        now.extend(known.drain().filter(|(_, known)| known.at > asked_at));
        *known = now;
        drop(known);
        self.changes.send_replace(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker(name: &'static str, duty: Duty) -> WorkerInfo {
        WorkerInfo { duty, ..WorkerInfo::new(WorkerId::from_static(name)) }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_noted_after_the_store_was_asked_outlasts_its_answer() {
        let duties = Duties::default();
        let of = |name| duties.last_of(&WorkerId::from_static(name));
        duties.note(&WorkerId::from_static("before"), Duty::Pause);
        let asked_at = Instant::now();
        tokio::time::advance(Duration::from_millis(1)).await;
        duties.note(&WorkerId::from_static("since"), Duty::Drain);
        duties.note(&WorkerId::from_static("before"), Duty::Work);
        duties.replace(&[worker("before", Duty::Pause), worker("other", Duty::Pause)], asked_at);
        assert_eq!([of("before"), of("since"), of("other")], [Duty::Work, Duty::Drain, Duty::Pause]);
        tokio::time::advance(Duration::from_millis(1)).await;
        duties.replace(&[], Instant::now());
        assert_eq!([of("before"), of("since"), of("other")], [Duty::Work; 3], "the store alone knows");
    }
}
