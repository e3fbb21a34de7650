//! Reading jobs by id.

use super::Engine;
use queue_core::{
    Counts, Detail, JobAttempts, JobId, JobRecord, Moment, QueueName, QueueStatus, QueuesPage, QueuesQuery,
    State, Timestamp,
};

impl Engine {
    /// Reads jobs, in the order of the ids.
    pub fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
        now: Timestamp,
    ) -> Vec<Option<JobRecord>> {
        let state = self.queues.get(queue);
        let find = |id| state.and_then(|state| state.by_id(id)).filter(|entry| !entry.is_purged(now));
        ids.iter().map(|id| find(id).map(|entry| entry.record(what))).collect()
    }

    /// Counts jobs by state.
    pub fn counts(&mut self, queue: &QueueName, moment: Moment) -> Counts {
        let now = moment.now;
        let mut counts = Counts::empty(moment);
        if let Some(state) = self.queues.get_mut(queue) {
            state.promote(now);
            for each in State::ALL {
                counts.set(each, state.indexes.count(each));
            }
            counts.scheduled = state.indexes.scheduled.len() as u64;
            counts.gated = state.indexes.gated.len() as u64;
            counts.oldest_due = state.indexes.oldest_due();
        }
        counts
    }

    /// One page of the queues.
    pub fn queues(&mut self, query: &QueuesQuery, moment: Moment) -> QueuesPage {
        let names: Vec<QueueName> =
            self.queues.names_from(query.start()).take(query.limit()).cloned().collect();
        let status = |name: QueueName| {
            let (pause, paused_kinds) = self.pauses(&name).map_or_else(Default::default, |pauses| {
                (pauses.queue.at(moment.now), pauses.kinds_at(moment.now))
            });
            let counts = self.counts(&name, moment);
            QueueStatus { name, pause, paused_kinds, counts }
        };
        query.page(names.into_iter().map(status).collect())
    }

    /// A job with what was charged to it.
    pub fn attempts(&self, queue: &QueueName, id: &JobId, now: Timestamp) -> Option<JobAttempts> {
        let entry = self.queues.get(queue)?.by_id(id).filter(|entry| !entry.is_purged(now))?;
        Some(JobAttempts { meta: entry.meta(), attempts: entry.course().attempts().to_vec() })
    }
}
