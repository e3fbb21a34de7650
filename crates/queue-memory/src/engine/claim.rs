use super::{Engine, queue_state::QueueState, undo::Undo};
use queue_core::{
    AnswerRoom, ClaimRequest, Claimed, ClaimedJob, Detail, Moment, Timestamp, lifecycle::lease,
};

impl Engine {
    /// Leases due jobs in claim order.
    pub fn claim(&mut self, request: &ClaimRequest, moment: Moment) -> Claimed {
        let now = moment.now;
        if moment.is_ahead() {
            self.raise_mark(now);
        }
        let late = request.is_late(now).then_some(now);
        let Some(state) = self.queues.get_mut(&request.queue) else { return Claimed::none(late, moment) };
        state.indexes.promote(now);
        let limit = if state.paused { 0 } else { request.limit_at(now) };
        let mut jobs = Vec::with_capacity(limit.min(state.indexes.ready.len()));
        let mut room = AnswerRoom::new(request.bytes_max);
        while jobs.len() < limit {
            let Some(job) = claim_first(state, &mut self.undo, request, &mut room, now) else { break };
            self.notices.changed(&job.record.meta);
            jobs.push(job);
        }
        let (next_due, paused) = (late.or_else(|| state.indexes.next_due()), state.paused);
        if !jobs.is_empty() {
            self.raise_mark(now);
        }
        Claimed { jobs, paused, ..Claimed::none(next_due, moment) }
    }
}

fn claim_first(
    state: &mut QueueState,
    undo: &mut Undo,
    request: &ClaimRequest,
    room: &mut AnswerRoom,
    now: Timestamp,
) -> Option<ClaimedJob> {
    let &(_, _, seq) = state.indexes.ready.first()?;
    if !room.takes(state.entries.get(&seq)?.payload_len as usize) {
        return None;
    }
    state.update(seq, now, |entry| {
        undo.changes(entry);
        lease(&mut entry.job, request, now);
        ClaimedJob { record: entry.record(Detail::Full), token: request.token }
    })
}
