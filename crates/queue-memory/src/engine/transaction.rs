//! Transactions of the engine: begin, commit, roll back, and what changed.

use super::{Engine, packed_job::PackedJob, pauses::Pauses, undo_log::UndoLog};
use queue_core::{QueueName, Seq};

/// How one record was changed since [`Engine::begin`]: absent before if it is new, absent after if
/// it was removed.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'e> {
    /// The queue it is in.
    pub queue: &'e QueueName,
    /// Which life.
    pub seq: Seq,
    /// As it was.
    pub before: Option<&'e PackedJob>,
    /// As it is.
    pub after: Option<&'e PackedJob>,
}

impl Engine {
    /// From here on the engine remembers how things were, until [`commit`](Self::commit) or
    /// [`rollback`](Self::rollback).
    pub fn begin(&mut self) {
        self.undo = UndoLog { is_recording: true, last_seq: self.last_seq, ..UndoLog::default() };
    }

    /// The records that changed, each once, however often it did; in the order of their lives.
    pub fn edits(&self) -> impl Iterator<Item = Edit<'_>> {
        self.undo.jobs.iter().filter_map(|(&seq, before)| {
            let queue = self.undo.queues.get(&seq)?;
            let (before, after) = (before.as_ref(), self.stored(queue, seq));
            // Each write counts the revision up, except a signal that a gate counts. So a record of
            // the same revision and gate was looked at and left alone.
            let is_as_before = match (before, after) {
                (Some(before), Some(after)) => {
                    before.revision == after.revision && before.course().gate() == after.course().gate()
                }
                (before, after) => before.is_none() && after.is_none(),
            };
            (!is_as_before).then_some(Edit { queue, seq, before, after })
        })
    }

    /// The queues whose pauses changed, and what they are now.
    pub fn pause_edits(&self) -> impl Iterator<Item = (&QueueName, &Pauses)> {
        let edits = self.undo.pauses.iter();
        let edits = edits.filter_map(|(queue, former)| Some((queue, former, self.pauses(queue)?)));
        edits.filter(|(_, former, now)| former != now).map(|(queue, _, now)| (queue, now))
    }

    /// The queues that were used for the first time and that stand in no edit.
    pub fn opened_idle(&self) -> impl Iterator<Item = &QueueName> {
        let is_idle = |queue: &&QueueName| {
            self.queues.get(queue).is_some_and(|state| state.entries.is_empty() && state.pauses.is_empty())
        };
        self.undo.opened.iter().filter(is_idle)
    }

    /// Keeps what changed.
    pub fn commit(&mut self) {
        self.undo = UndoLog::default();
    }

    /// Takes back what changed, and its notices. Time stays: a caller may know it.
    pub fn rollback(&mut self) {
        let undo = std::mem::take(&mut self.undo);
        // Changed lives leave before former ones return, since both may have the same id.
        for (seq, queue) in &undo.queues {
            self.unload(queue, *seq);
        }
        for former in undo.jobs.into_values().flatten() {
            self.put_back(former);
        }
        for (queue, former) in undo.pauses {
            self.state_mut(&queue).pauses = former;
        }
        for (queue, former) in undo.limits {
            self.load_limits(&queue, former.into_iter().collect());
        }
        if let Some(presence) = undo.presence {
            self.presence = presence;
        }
        for (key, former) in undo.series {
            self.series.set(&key, former);
        }
        if undo.is_recording {
            self.last_seq = undo.last_seq;
        }
        undo.opened.iter().for_each(|queue| self.queues.forget(queue));
        drop(self.take_notices());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{
        ClaimRequest, ContentType, Detail, Duty, Enqueued, JobId, Kind, Moment, NewJob, Pause, Payload,
        Prune, PruneRequest, QueuesQuery, SeededRng, Span, Timestamp, WorkerId, WorkerInfo,
    };

    const NOW: Timestamp = Timestamp::from_millis(1_000);

    fn queue() -> QueueName {
        QueueName::from_static("q")
    }

    fn job(id: &'static str) -> NewJob {
        let payload = Payload::new("x", ContentType::from_static("x/y"));
        NewJob::new(JobId::from_static(id), Kind::unnamed(), payload)
    }

    fn claim(engine: &mut Engine) -> usize {
        let worker = WorkerId::from_static("w");
        let rng = SeededRng::new(1);
        let request = ClaimRequest::new(queue(), worker, 10, Span::from_secs(9), &rng);
        engine.claim(&request, Moment::at(NOW)).jobs.len()
    }

    fn worker() -> WorkerInfo {
        WorkerInfo { queues: vec![queue()], concurrency: 1, ..WorkerInfo::new(WorkerId::from_static("w")) }
    }

    #[test]
    fn a_rollback_takes_back_that_a_worker_is_to_drain() {
        let mut engine = Engine::default();
        engine.announce(worker(), Span::from_secs(9), NOW);
        engine.begin();
        assert!(engine.set_duty(&worker().id, Duty::Drain, NOW).is_some());
        engine.rollback();
        assert_eq!(engine.workers(NOW), [worker()]);
    }

    #[test]
    fn each_changed_record_is_told_once_with_how_it_was() {
        let mut engine = Engine::default();
        engine.enqueue(&queue(), vec![vec![job("a"), job("b")]], NOW);
        engine.begin();
        engine.enqueue(&queue(), vec![vec![job("c")]], NOW);
        assert_eq!(claim(&mut engine), 3);
        let told: Vec<_> = engine.edits().map(|edit| (edit.seq.get(), edit.before.is_some())).collect();
        assert_eq!(told, [(1, true), (2, true), (3, false)]);
        engine.commit();
        assert_eq!(engine.edits().count(), 0);
    }

    #[test]
    fn what_comes_and_goes_in_one_transaction_is_not_told() {
        let mut engine = Engine::default();
        engine.begin();
        engine.enqueue(&queue(), vec![vec![job("a")]], NOW);
        engine.prune(&PruneRequest { queue: queue(), what: Prune::Everything, limit: 9 }, NOW);
        assert_eq!(engine.edits().count(), 0);
        assert_eq!(engine.opened_idle().count(), 1, "but that there is such a queue");
    }

    #[test]
    fn a_rollback_leaves_everything_as_it_was() {
        let mut engine = Engine::default();
        engine.enqueue(&queue(), vec![vec![job("a"), job("b").with_delay(Span::from_secs(1))]], NOW);
        let ids = ["a", "b", "c"].map(JobId::from_static);
        let before = engine.get(&queue(), &ids, Detail::Full, NOW);
        drop(engine.take_notices());
        engine.begin();
        assert_eq!(claim(&mut engine), 1);
        engine.enqueue(&queue(), vec![vec![job("c")]], NOW);
        engine.prune(&PruneRequest { queue: queue(), what: Prune::Everything, limit: 2 }, NOW);
        engine.set_paused(&queue(), None, Pause::UntilResumed, NOW).unwrap();
        engine.announce(worker(), Span::from_secs(9), NOW);
        engine.enqueue(&QueueName::from_static("new"), vec![vec![job("d")]], NOW);
        assert_eq!(engine.pause_edits().count(), 1);
        engine.rollback();
        let listed = engine.queues(&QueuesQuery::all(9), Moment::at(NOW)).queues;
        assert_eq!(listed.iter().map(|status| status.name.as_str()).collect::<Vec<_>>(), ["q"]);
        assert_eq!(engine.get(&queue(), &ids, Detail::Full, NOW), before);
        assert_eq!(engine.verify(NOW), Vec::<String>::new());
        assert!(engine.workers(NOW).is_empty() && engine.take_notices().is_empty());
        assert_eq!(claim(&mut engine), 1, "the queue is not paused, and the job is free");
        let again = engine.enqueue(&queue(), vec![vec![job("c")]], NOW);
        assert_eq!(again[0][0], Enqueued::Queued { seq: Seq::new(3) }, "no number is skipped");
    }
}
