//! A reference store: a list of jobs that every verb scans.

use super::reference_jobs::Jobs;
use crate::{Facility, Failure, Harness, Place};
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{
    AnswerRoom, Applied, Capabilities, ClaimRequest, Claimed, Clock, Counts, Detail, Durability, Enqueued,
    JobAttempts, JobId, JobMeta, JobRecord, Kind, Limit, LimitScope, Limits, ListQuery, Moment, NewJob, Page,
    PartitionPage, PartitionQuery, Pause, Prune, PruneRequest, QueueName, QueueStatus, QueuesPage,
    QueuesQuery, Reach, Result, Stamped, Storage, StoreTime, lifecycle::Transition,
};
use std::sync::Arc;

/// The contract in its plainest form: a list of jobs, which every verb scans, and no index that
/// could be wrong. It is one handle on the list.
#[derive(Debug)]
pub(super) struct Reference {
    jobs: Arc<Mutex<Jobs>>,
    /// The store time that its handle knows.
    time: Mutex<StoreTime>,
    clock: Arc<dyn Clock>,
}

/// The harness of the reference store.
#[derive(Debug)]
pub(crate) struct ReferenceHarness;

#[derive(Debug)]
struct InMemory {
    jobs: Arc<Mutex<Jobs>>,
    clock: Arc<dyn Clock>,
}

#[async_trait]
impl Harness for ReferenceHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(InMemory { jobs: Arc::default(), clock }))
    }

    fn facilities(&self) -> &[Facility] {
        &[Facility::Reopen]
    }
}

#[async_trait]
impl Place for InMemory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        let (jobs, clock) = (self.jobs.clone(), self.clock.clone());
        let time = Mutex::new(StoreTime::new(clock.ticks()));
        Ok(Arc::new(Reference { jobs, time, clock }))
    }
}

impl Reference {
    /// Locks the jobs, removes those that are overdue, and answers the time.
    fn look(&self) -> (MutexGuard<'_, Jobs>, Moment) {
        let mut jobs = self.jobs.lock();
        let mut time = self.time.lock();
        let moment = Moment::decide(jobs.mark, self.clock.now(), time.floor(self.clock.ticks()));
        time.note(moment.now, self.clock.ticks());
        jobs.list.retain(|twin| twin.meta(moment.now).is_some());
        (jobs, moment)
    }

    /// Does the same for a verb that writes.
    fn change(&self) -> (MutexGuard<'_, Jobs>, Moment) {
        let (mut jobs, moment) = self.look();
        jobs.mark = moment.now;
        (jobs, moment)
    }
}

#[async_trait]
impl Storage for Reference {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("reference", Durability::None, Reach::Process)
            .with_pause()
            .with_attempts()
            .with_gates()
            .with_partitions()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        self.capabilities().limits.check_enqueue(&groups)?;
        let (mut jobs, moment) = self.change();
        let mut enqueue = |group: Vec<NewJob>| {
            group.into_iter().map(|new| jobs.enqueue(queue, new, None, moment.now)).collect()
        };
        let mut value: Vec<_> = groups.into_iter().map(&mut enqueue).collect();
        AnswerRoom::new(Limits::default().answer_bytes_max).trim_results(&mut value);
        Ok(Stamped::at(moment, value))
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let (mut jobs, moment) = self.change();
        let now = moment.now;
        let (pause, paused_kinds) = jobs.pauses.at(&request.queue, now);
        let claimed = if pause.is_on() { Vec::new() } else { jobs.claim(&request, now) };
        let slots = jobs.slots(&request.queue);
        let due = |meta: &JobMeta| match &meta.lease {
            Some(lease) => Some(lease.expires_at),
            None if meta.is_gated(now) && meta.run_at.is_far(now) => None,
            None if meta.is_due(now) && !slots.has(meta.partition.as_ref()) => None,
            None => meta.state.is_waiting().then_some(meta.run_at),
        };
        let earliest = jobs.of(&request.queue).filter_map(due).min();
        let next_due = if request.is_late(now) { Some(now) } else { earliest };
        Ok(Claimed { jobs: claimed, pause, paused_kinds, ..Claimed::none(next_due, moment) })
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.capabilities().limits.check_apply(&batch)?;
        let (mut jobs, moment) = self.change();
        let value = batch.iter().map(|transition| jobs.apply(transition, moment.now)).collect();
        Ok(Stamped::at(moment, value))
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let (mut jobs, moment) = self.look();
        let read = |id| {
            let record = jobs.find(queue, id)?.record(moment.now)?;
            let body = record.body.filter(|_| what == Detail::Full);
            Some(JobRecord { body, ..record })
        };
        let mut value: Vec<_> = ids.iter().map(read).collect();
        AnswerRoom::new(Limits::default().answer_bytes_max).trim_records(&mut value);
        Ok(Stamped::at(moment, value))
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        let (jobs, moment) = self.look();
        let of_queue = jobs.list.iter().map(|twin| &twin.job).filter(|job| job.meta.queue == query.queue);
        query.page_of(of_queue.cloned().collect::<Vec<_>>(), "reference", moment)
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        let (mut jobs, moment) = self.look();
        let one = |id| jobs.find(queue, id).and_then(|twin| twin.attempts(moment.now));
        Ok(Stamped::at(moment, ids.iter().map(one).collect()))
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        let (jobs, moment) = self.look();
        Ok(jobs.counts(queue, moment))
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        let (jobs, moment) = self.look();
        let names = jobs.queues.iter().filter(|name| name.as_str() >= query.start());
        let status = |name: &QueueName| {
            let (pause, paused_kinds) = jobs.pauses.at(name, moment.now);
            QueueStatus { name: name.clone(), pause, paused_kinds, counts: jobs.counts(name, moment) }
        };
        Ok(query.page(names.take(query.limit()).map(status).collect()))
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let (mut jobs, Moment { now, .. }) = self.change();
        let doomed = |meta: &JobMeta| match request.what {
            Prune::Expired => false,
            Prune::FinishedBefore(age) => meta.finished_at.is_some_and(|at| at + age <= now),
            Prune::Everything => true,
        };
        let mut pruned = 0;
        jobs.list.retain(|twin| {
            let meta = &twin.job.meta;
            let goes = pruned < request.limit && meta.queue == request.queue && doomed(meta);
            pruned += usize::from(goes);
            !goes
        });
        Ok(pruned as u64)
    }

    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        let (mut jobs, _) = self.change();
        jobs.queues.insert(queue.clone());
        jobs.pauses.set(queue, kind, pause);
        Ok(())
    }

    async fn set_limits(&self, queue: &QueueName, limits: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        limits.iter().try_for_each(|(scope, limit)| limit.map_or(Ok(()), |limit| limit.check(scope)))?;
        let (mut jobs, _) = self.look();
        jobs.queues.insert(queue.clone());
        jobs.limits.set(queue, limits)
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        Ok(self.look().0.limits.all(queue))
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        let (jobs, moment) = self.look();
        let unfinished = jobs.of(&query.queue).filter(|meta| !meta.state.is_terminal());
        Ok(jobs.limits.page(&query, unfinished, moment))
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ReferenceHarness;
    use crate::{Selection, collect};

    /// The groups that are about jobs; what a list in memory does not offer is ignored.
    const GROUPS: [&str; 17] = [
        "matrix::",
        "dedup::",
        "expiry::",
        "fencing::",
        "lives::",
        "redrive::",
        "kept_partitions::",
        "listed_partitions::",
        "opening::",
        "partition_limits::",
        "raises::",
        "signals::",
        "slots::",
        "suspend::",
        "retry::",
        "reopen::",
        "time::",
    ];
    /// The first prunes a record that is overdue, which the reference removes with every call. The
    /// other asks for fewer limited jobs than others, which the reference does not know.
    const BEYOND: [&str; 2] = [
        "time::a_record_goes_in_time_after_a_clock_that_was_ahead",
        "slots::claims_sent_together_take_each_slot_once",
    ];

    #[test]
    fn the_reference_is_as_the_cases_and_the_lifecycle_say() {
        let selection = Selection::default().only(GROUPS);
        let reports = collect(ReferenceHarness, &selection).expect("it opens");
        let is_held_to = |name: &str| !BEYOND.contains(&name);
        let failed: Vec<_> =
            reports.iter().filter(|case| case.has_failed() && is_held_to(&case.name)).collect();
        assert!(failed.is_empty(), "{failed:#?}");
        assert!(reports.len() > 40, "these groups are there");
    }
}
