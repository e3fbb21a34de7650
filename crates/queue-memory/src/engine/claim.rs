use super::{Engine, queue_state::QueueState, undo::Undo};
use queue_core::{ClaimRequest, Claimed, ClaimedJob, Detail, Timestamp, lifecycle::lease};

impl Engine {
    /// Leases due jobs in claim order.
    pub fn claim(&mut self, request: &ClaimRequest, reading: Timestamp) -> Claimed {
        let now = self.advance(reading);
        let Some(state) = self.queues.get_mut(&request.queue) else {
            return Claimed { jobs: Vec::new(), next_due: None, paused: false, now };
        };
        state.indexes.promote(now);
        let limit = if state.paused { 0 } else { request.limit };
        let mut jobs = Vec::with_capacity(limit.min(state.indexes.ready.len()));
        while jobs.len() < limit {
            let Some(job) = claim_first(state, &mut self.undo, request, now) else { break };
            self.notices.changed(&job.record.meta);
            jobs.push(job);
        }
        Claimed { jobs, next_due: state.indexes.next_due(), paused: state.paused, now }
    }
}

fn claim_first(
    state: &mut QueueState,
    undo: &mut Undo,
    request: &ClaimRequest,
    now: Timestamp,
) -> Option<ClaimedJob> {
    let &(_, _, seq) = state.indexes.ready.first()?;
    state.update(seq, now, |entry| {
        undo.changes(entry);
        lease(&mut entry.job, request, now);
        ClaimedJob { record: entry.record(Detail::Full), token: request.token }
    })
}
