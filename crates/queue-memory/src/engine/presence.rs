//! The workers that announced themselves.

use super::Engine;
use queue_core::{Duty, Span, Timestamp, WorkerId, WorkerInfo};
use std::collections::BTreeMap;

/// Workers that announced themselves, and until when that counts.
pub(super) type Presence = BTreeMap<WorkerId, (WorkerInfo, Timestamp)>;

impl Engine {
    /// Shows a worker for a while, and answers its duty; zero retires it.
    pub fn announce(&mut self, mut worker: WorkerInfo, ttl: Span, now: Timestamp) -> Duty {
        self.raise_mark(now);
        self.undo.announces(&self.presence);
        self.presence.retain(|_, (_, until)| *until > now);
        if ttl == Span::ZERO {
            self.presence.remove(&worker.id);
            return Duty::Work;
        }
        let duty = self.presence.get(&worker.id).map(|(before, _)| before.duty).unwrap_or_default();
        worker.duty = duty;
        self.presence.insert(worker.id.clone(), (worker, now + ttl));
        duty
    }

    /// Gives a worker another duty; what is shown of it then, if it is there.
    pub fn set_duty(
        &mut self,
        worker: &WorkerId,
        duty: Duty,
        now: Timestamp,
    ) -> Option<(&WorkerInfo, Timestamp)> {
        self.raise_mark(now);
        self.undo.announces(&self.presence);
        let (shown, until) = self.presence.get_mut(worker).filter(|(_, until)| *until > now)?;
        shown.duty = shown.duty.then(duty);
        Some((shown, *until))
    }

    /// The workers shown at this time.
    pub fn workers(&self, now: Timestamp) -> Vec<WorkerInfo> {
        self.presence.values().filter(|(_, until)| *until > now).map(|(worker, _)| worker.clone()).collect()
    }
}
