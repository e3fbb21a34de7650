//! Removing records.

use super::{Engine, queue_state::QueueState};
use queue_core::{Prune, PruneRequest, Seq, Timestamp};

impl Engine {
    /// Removes records and answers how many.
    pub fn prune(&mut self, request: &PruneRequest, now: Timestamp) -> u64 {
        self.raise_mark(now);
        let Some(state) = self.queues.get_mut(&request.queue) else { return 0 };
        let doomed = doomed(state, request, now);
        for seq in &doomed {
            if let Some(entry) = state.remove(*seq) {
                self.undo.changes(&entry);
                self.notices.tell(&request.queue, entry.farewell());
            }
        }
        if state.take_opened() {
            self.notices.wake(&request.queue);
        }
        doomed.len() as u64
    }
}

fn doomed(state: &QueueState, request: &PruneRequest, now: Timestamp) -> Vec<Seq> {
    let up_to = |at: Timestamp| ..=(at, Seq::new(u64::MAX));
    let indexes = &state.indexes;
    match request.what {
        Prune::Expired => indexes.purges.range(up_to(now)).take(request.limit).map(|&(_, seq)| seq).collect(),
        Prune::FinishedBefore(age) => {
            let latest = Timestamp::from_millis(now.as_millis() - age.as_millis());
            indexes.finished.range(up_to(latest)).take(request.limit).map(|&(_, seq)| seq).collect()
        }
        Prune::Everything => state.entries.keys().take(request.limit).copied().collect(),
    }
}
