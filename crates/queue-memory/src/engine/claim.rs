//! Leasing due jobs.

use super::{Engine, packed_job::PackedJob};
use queue_core::{
    AnswerRoom, ClaimRequest, Claimed, ClaimedJob, JobRecord, Moment, PausedKind, Timestamp, lifecycle::lease,
};

impl Engine {
    /// Leases due jobs in claim order.
    pub fn claim(&mut self, request: &ClaimRequest, moment: Moment) -> Claimed {
        let now = moment.now;
        // While the clock is behind, even a claim that leases nothing raises the mark, so that
        // handles that live for one claim carry time on from one to the next (ADR 0024).
        if moment.is_ahead() {
            self.raise_mark(now);
        }
        let late = request.is_late(now).then_some(now);
        let Some(state) = self.queues.get_mut(&request.queue) else { return Claimed::none(late, moment) };
        state.promote(now);
        let pause = state.pauses.queue.at(now);
        let limit = if pause.is_on() { 0 } else { request.limit_at(now) };
        let mut jobs = Vec::with_capacity(limit.min(state.due()));
        let mut room = AnswerRoom::new(request.bytes_max);
        let mut aside_room = PausedKind::SET_ASIDE_MAX;
        let mut limited_room = request.limited_max;
        while jobs.len() < limit {
            let Some(next) = state.next_claimable(now, &mut aside_room, limited_room > 0) else { break };
            let is_taken = state.update(next.seq, now, |entry| {
                // The job is not passed over for a smaller one behind it, or large jobs would
                // starve (ADR 0023).
                let fits = room.takes(entry.payload_len as usize);
                if fits {
                    self.undo.changes(entry);
                    let job = leased(entry, request, now);
                    self.notices.changed(&job.record.meta);
                    jobs.push(job);
                }
                fits
            });
            if is_taken != Some(true) {
                break;
            }
            limited_room -= usize::from(next.is_limited);
        }
        let kept_back = jobs.len() < limit && limited_room == 0 && state.has_limited();
        let next_due = late.or_else(|| state.next_due(now));
        let paused_kinds = state.pauses.kinds_at(now);
        if !jobs.is_empty() {
            self.raise_mark(now);
        }
        let set_aside = PausedKind::SET_ASIDE_MAX - aside_room;
        Claimed { jobs, pause, paused_kinds, set_aside, kept_back, ..Claimed::none(next_due, moment) }
    }
}

fn leased(entry: &mut PackedJob, request: &ClaimRequest, now: Timestamp) -> ClaimedJob {
    let mut job = entry.tracked();
    lease(&mut job, request, now);
    entry.track(&job);
    let record = JobRecord { meta: job.meta, body: Some(entry.body()) };
    ClaimedJob { record, token: request.token }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{ContentType, JobId, Kind, NewJob, Payload, QueueName, SeededRng, Span, WorkerId};

    /// Not timed: if each claim looked at every priority, this would take minutes.
    #[test]
    fn every_priority_there_is_may_have_jobs_that_are_due() {
        let mut engine = Engine::default();
        let queue = QueueName::from_static("q");
        let job = |priority: i16| {
            let payload = Payload::new("", ContentType::from_static("x/y"));
            let id = JobId::new(priority.to_string()).expect("a valid id");
            NewJob::new(id, Kind::unnamed(), payload).with_priority(priority)
        };
        let priorities = i16::MIN..=i16::MAX;
        engine.enqueue(&queue, vec![priorities.clone().rev().map(job).collect()], Timestamp::default());
        let worker = WorkerId::from_static("w");
        let request = ClaimRequest::new(queue, worker, 1, Span::from_secs(30), &SeededRng::new(1));
        for priority in priorities {
            let claimed = engine.claim(&request, Moment::at(Timestamp::default())).jobs;
            assert_eq!(claimed[0].record.meta.priority, priority);
        }
        assert_eq!(engine.claim(&request, Moment::at(Timestamp::default())).jobs.len(), 0);
    }
}
