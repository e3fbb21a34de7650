//! The workers that an operator asked to drain or paused, as far as their announcements through
//! this service were answered so.

use parking_lot::Mutex;
use queue_core::{Duty, WorkerId};
use std::{collections::HashMap, time::Duration};
use tokio::{sync::watch, time::Instant};

/// How long an answer is remembered: workers announce themselves more often.
const KNOWN_FOR: Duration = Duration::from_mins(2);
/// The most workers that are remembered. The others hear of it with their announcements alone.
const WORKERS_MAX: usize = 10_000;

/// The workers that are not to work as usual.
#[derive(Debug, Default)]
pub(crate) struct Duties {
    known: Mutex<HashMap<WorkerId, (Duty, Instant)>>,
    /// Tells waiting claims that somebody is to drain.
    drains: watch::Sender<()>,
}

impl Duties {
    /// Notes how an announcement was answered, or what an operator asked for through this service.
    pub(crate) fn note(&self, worker: &WorkerId, duty: Duty) {
        let mut duties = self.known.lock();
        if duty == Duty::Work {
            duties.remove(worker);
            return;
        }
        if duties.len() >= WORKERS_MAX {
            duties.retain(|_, (_, noted)| noted.elapsed() < KNOWN_FOR);
        }
        if duties.len() < WORKERS_MAX {
            duties.insert(worker.clone(), (duty, Instant::now()));
        }
        drop(duties);
        if duty == Duty::Drain {
            self.drains.send_replace(());
        }
    }

    /// Waits until a worker is to drain.
    pub(crate) async fn drained(&self, worker: &WorkerId) {
        let mut drains = self.drains.subscribe();
        while !self.is_draining(worker) {
            if drains.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// Whether a worker is to drain.
    pub(crate) fn is_draining(&self, worker: &WorkerId) -> bool {
        self.of(worker) == Duty::Drain
    }

    /// What a worker is to do.
    pub(crate) fn of(&self, worker: &WorkerId) -> Duty {
        let duties = self.known.lock();
        let known = duties.get(worker).filter(|(_, noted)| noted.elapsed() < KNOWN_FOR);
        known.map_or(Duty::Work, |(duty, _)| *duty)
    }
}
