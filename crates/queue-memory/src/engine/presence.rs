use super::Engine;
use queue_core::{Span, Timestamp, WorkerId, WorkerInfo};
use std::collections::BTreeMap;

/// Workers that announced themselves, and until when that counts.
pub(super) type Presence = BTreeMap<WorkerId, (WorkerInfo, Timestamp)>;

impl Engine {
    /// Shows a worker for a while; zero retires it.
    pub fn announce(&mut self, worker: WorkerInfo, ttl: Span, now: Timestamp) {
        self.raise_mark(now);
        self.undo.announces(&self.presence);
        self.presence.retain(|_, (_, until)| *until > now);
        if ttl == Span::ZERO {
            self.presence.remove(&worker.id);
        } else {
            self.presence.insert(worker.id.clone(), (worker, now + ttl));
        }
    }

    /// The workers shown at this time.
    pub fn workers(&self, now: Timestamp) -> Vec<WorkerInfo> {
        self.presence.values().filter(|(_, until)| *until > now).map(|(worker, _)| worker.clone()).collect()
    }
}
