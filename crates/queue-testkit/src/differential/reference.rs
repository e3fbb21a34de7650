//! A reference store: a list of jobs that every verb scans.

use super::reference_pauses::ReferencePauses;
use crate::{Facility, Failure, Harness, Place, twin::Twin};
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{
    AnswerRoom, Applied, Capabilities, ClaimRequest, Claimed, ClaimedJob, Clock, Counts, Detail, Durability,
    Enqueued, JobAttempts, JobId, JobMeta, JobRecord, Kind, Limits, ListQuery, Moment, NewJob, Page, Pause,
    Prune, PruneRequest, QueueName, QueueStatus, QueuesPage, QueuesQuery, Reach, Result, Seq, Stamped, State,
    Storage, StoreTime, Timestamp, lifecycle::Transition,
};
use std::{collections::BTreeSet, sync::Arc};

/// The contract in its plainest form: a list of jobs, which every verb scans, and no index that
/// could be wrong. It is one handle on the list.
#[derive(Debug)]
pub(super) struct Reference {
    jobs: Arc<Mutex<Jobs>>,
    /// The store time that its handle knows.
    time: Mutex<StoreTime>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Default)]
struct Jobs {
    /// In the order of their lives.
    list: Vec<Twin>,
    pauses: ReferencePauses,
    /// Queues that ever had a job, or were paused or resumed.
    queues: BTreeSet<QueueName>,
    last_seq: u64,
    mark: Timestamp,
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

impl Jobs {
    fn of<'a>(&'a self, queue: &'a QueueName) -> impl Iterator<Item = &'a JobMeta> {
        self.list.iter().map(|twin| &twin.job.meta).filter(move |meta| meta.queue == *queue)
    }

    fn counts(&self, queue: &QueueName, moment: Moment) -> Counts {
        let (now, mut counts) = (moment.now, Counts::empty(moment));
        for state in State::ALL {
            counts.set(state, self.of(queue).filter(|meta| meta.state == state).count() as u64);
        }
        counts.scheduled = self.of(queue).filter(|meta| meta.is_scheduled(now)).count() as u64;
        counts.oldest_due = self.of(queue).filter(|meta| meta.is_due(now)).map(|meta| meta.run_at).min();
        counts
    }

    fn find(&mut self, queue: &QueueName, id: &JobId) -> Option<&mut Twin> {
        self.list.iter_mut().find(|twin| twin.job.meta.queue == *queue && twin.job.meta.id == *id)
    }

    fn enqueue(&mut self, queue: &QueueName, new: &NewJob, now: Timestamp) -> Enqueued {
        let seq = Seq::new(self.last_seq + 1);
        let answer = if let Some(twin) = self.find(queue, &new.id) {
            twin.enqueue(new, seq, now)
        } else {
            self.queues.insert(queue.clone());
            self.list.push(Twin::begin(queue.clone(), new, seq, now));
            Enqueued::Queued { seq }
        };
        self.last_seq += u64::from(answer.is_new());
        self.list.sort_by_key(|twin| twin.job.meta.seq);
        answer
    }

    fn apply(&mut self, transition: &Transition, now: Timestamp) -> Applied {
        let Some(twin) = self.find(&transition.queue, &transition.id) else { return Applied::Missing };
        let answer = twin.apply(transition, now);
        let followers = std::mem::take(&mut twin.followers);
        self.list.retain(|twin| twin.meta(now).is_some());
        for new in followers {
            self.enqueue(&transition.queue, &new, now);
        }
        answer
    }

    fn claim(&mut self, request: &ClaimRequest, now: Timestamp) -> Vec<ClaimedJob> {
        let queue = &request.queue;
        let (_, paused) = self.pauses.at(queue, now);
        let is_open = |meta: &JobMeta| paused.iter().all(|paused| paused.kind != meta.kind);
        let is_due = |meta: &JobMeta| meta.queue == *queue && meta.is_due(now) && is_open(meta);
        let mut due: Vec<&mut Twin> = self.list.iter_mut().filter(|twin| is_due(&twin.job.meta)).collect();
        due.sort_by_key(|twin| (twin.job.meta.priority, twin.job.meta.run_at, twin.job.meta.seq));
        let lease = |twin: &mut Twin| {
            twin.lease(request, now);
            ClaimedJob { record: twin.record(now).expect("a leased job is there"), token: request.token }
        };
        let mut room = AnswerRoom::new(request.bytes_max);
        let fits = |twin: &&mut Twin| room.takes(twin.payload_len());
        due.into_iter().take(request.limit_at(now)).take_while(fits).map(lease).collect()
    }
}

#[async_trait]
impl Storage for Reference {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("reference", Durability::None, Reach::Process).with_pause().with_attempts()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        Limits::default().check_enqueue(&groups)?;
        let (mut jobs, moment) = self.change();
        let mut enqueue =
            |group: &Vec<NewJob>| group.iter().map(|new| jobs.enqueue(queue, new, moment.now)).collect();
        let mut value: Vec<_> = groups.iter().map(&mut enqueue).collect();
        AnswerRoom::new(Limits::default().answer_bytes_max).trim_results(&mut value);
        Ok(Stamped::at(moment, value))
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let (mut jobs, moment) = self.change();
        let now = moment.now;
        let (pause, paused_kinds) = jobs.pauses.at(&request.queue, now);
        let claimed = if pause.is_on() { Vec::new() } else { jobs.claim(&request, now) };
        let due = |meta: &JobMeta| match &meta.lease {
            Some(lease) => Some(lease.expires_at),
            None => meta.state.is_waiting().then_some(meta.run_at),
        };
        let earliest = jobs.of(&request.queue).filter_map(due).min();
        let next_due = if request.is_late(now) { Some(now) } else { earliest };
        Ok(Claimed { jobs: claimed, pause, paused_kinds, ..Claimed::none(next_due, moment) })
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        Limits::default().check_apply(&batch)?;
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

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ReferenceHarness;
    use crate::{Selection, collect};

    /// The groups that are about jobs; what a list in memory does not offer is ignored.
    const GROUPS: [&str; 9] = [
        "matrix::",
        "dedup::",
        "expiry::",
        "fencing::",
        "lives::",
        "redrive::",
        "retry::",
        "reopen::",
        "time::",
    ];
    /// Prunes a record that is overdue. The reference removes those with every call.
    const PRUNES: &str = "time::a_record_goes_in_time_after_a_clock_that_was_ahead";

    #[test]
    fn the_reference_is_as_the_cases_and_the_lifecycle_say() {
        let selection = Selection::default().only(GROUPS);
        let reports = collect(ReferenceHarness, &selection).expect("it opens");
        let failed: Vec<_> = reports.iter().filter(|case| case.has_failed() && case.name != PRUNES).collect();
        assert!(failed.is_empty(), "{failed:#?}");
        assert!(reports.len() > 40, "these groups are there");
    }
}
