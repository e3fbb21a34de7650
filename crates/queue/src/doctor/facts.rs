//! What a doctor reads of any store, through the contract. Every read has a bound.

use super::{
    ahead::AheadFacts,
    own_jobs::{OwnJobs, UNFINISHED},
    probe::probe_queue,
};
use queue_core::{
    Clock, Counts, Detail, Direction, JobMeta, Kind, ListFilter, ListQuery, Moment, QueueName, QueueStatus,
    QueuesQuery, Result, State, Storage, StorageExt, Timestamp, Walk, WorkerInfo,
};
use queue_view::{AboutWorker, works_on};
use std::{cmp::Reverse, collections::BTreeSet, time::Duration};

/// The most queues that are listed.
pub(super) const QUEUES_MAX: usize = 1_000;
/// The most queues whose jobs are looked at: those that were named, then those with the most jobs.
pub(super) const QUEUES_LOOKED_AT_MAX: usize = 100;
/// The most jobs of a sample.
pub(super) const SAMPLE: usize = 100;
/// The most jobs that are counted for a share. A page steps through them along an index.
const COUNTED_MAX: usize = 500;
/// What "lately" is: long enough that a queue of a few jobs a minute has a share to speak of.
pub(super) const LATELY: Duration = Duration::from_secs(3_600);
/// From so many kept records on it matters that they are kept for ever.
pub(super) const KEPT_MIN: u64 = 10_000;
/// The end of the range of times that reaches until now.
const END_OF_TIME: Timestamp = Timestamp::from_millis(i64::MAX);

/// A store as it was looked at.
#[derive(Clone, Debug)]
pub(super) struct StoreFacts {
    /// Store time, and the clock behind it.
    pub(super) time: Moment,
    /// The clock of this host, before and after the store was asked for its own.
    pub(super) host: [Timestamp; 2],
    pub(super) queues: Vec<QueueFacts>,
    /// Queues that were not looked at, since there are more than the bound.
    pub(super) left_out: usize,
    /// Whether there are more queues than are listed.
    pub(super) has_more: bool,
    /// `None` where workers do not announce themselves.
    pub(super) workers: Option<Vec<WorkerFacts>>,
}

/// A queue as it was looked at.
#[derive(Clone, Debug)]
pub(super) struct QueueFacts {
    pub(super) name: QueueName,
    pub(super) is_paused: bool,
    pub(super) counts: Counts,
    /// The leases that lapsed first.
    pub(super) lapsed: Vec<JobMeta>,
    /// The jobs that run longest.
    pub(super) held: Vec<JobMeta>,
    /// The kinds of the jobs that are claimed next.
    pub(super) due_kinds: BTreeSet<Kind>,
    /// Jobs that failed lately, and that completed lately and are kept; both up to a bound.
    pub(super) failed_lately: usize,
    pub(super) completed_lately: usize,
    /// Terminal records that were looked at, and how many of them are kept for ever.
    pub(super) kept: [usize; 2],
    /// The job that was enqueued last.
    pub(super) newest: Option<JobMeta>,
    /// Its schedules, or the operations.
    pub(super) own_jobs: OwnJobs,
    /// What a clock that was ahead has touched.
    pub(super) ahead: AheadFacts,
}

/// A worker that is present.
#[derive(Clone, Debug)]
pub(super) struct WorkerFacts {
    pub(super) info: WorkerInfo,
    pub(super) about: Option<AboutWorker>,
}

impl StoreFacts {
    pub(super) async fn read(storage: &dyn Storage, host: &dyn Clock, named: &[QueueName]) -> Result<Self> {
        let before = host.now();
        let time = storage.get(&probe_queue(), &[], Detail::Meta).await?.moment();
        let host = [before, host.now()];
        let (mut listed, has_more) = list_queues(storage, named).await?;
        listed.retain(|queue| queue.name != probe_queue());
        listed.sort_by_key(|queue| Reverse((named.contains(&queue.name), queue.counts.total())));
        let left_out = listed.len().saturating_sub(QUEUES_LOOKED_AT_MAX);
        listed.truncate(QUEUES_LOOKED_AT_MAX);
        let mut queues = Vec::with_capacity(listed.len());
        for queue in listed {
            let mut facts = QueueFacts::read(storage, queue).await?;
            facts.ahead = AheadFacts::read(storage, &facts, time).await?;
            queues.push(facts);
        }
        let workers = if storage.capabilities().presence { Some(storage.workers().await?) } else { None };
        let workers = workers.map(|workers| workers.into_iter().map(WorkerFacts::of).collect());
        Ok(Self { time, host, queues, left_out, has_more, workers })
    }

    /// What there is to say about each queue, if anything.
    pub(super) fn of_each_queue(&self, about: impl Fn(&QueueFacts) -> Option<String>) -> Vec<String> {
        let say = |queue: &QueueFacts| Some(format!("{:?} {}", queue.name.as_str(), about(queue)?));
        self.queues.iter().filter_map(say).collect()
    }

    /// The workers of a queue that still claim.
    pub(super) fn workers_of(&self, queue: &QueueName) -> impl Iterator<Item = &WorkerFacts> {
        let all = self.workers.iter().flatten();
        all.filter(|worker| works_on(&worker.info, queue))
    }
}

async fn list_queues(storage: &dyn Storage, named: &[QueueName]) -> Result<(Vec<QueueStatus>, bool)> {
    let page = storage.queues(QueuesQuery::all(QUEUES_MAX)).await?;
    let mut queues = page.queues;
    let mut behind: Vec<&QueueName> = named.iter().take(QUEUES_LOOKED_AT_MAX).collect();
    behind.retain(|name| !queues.iter().any(|queue| queue.name == **name));
    for name in behind {
        queues.extend(storage.status_of(name).await?);
    }
    Ok((queues, page.next.is_some()))
}

impl QueueFacts {
    async fn read(storage: &dyn Storage, status: QueueStatus) -> Result<Self> {
        let QueueStatus { name, pause, paused_kinds, counts } = status;
        let mut facts = Self {
            name,
            is_paused: pause.is_on() || !paused_kinds.is_empty(),
            counts,
            lapsed: Vec::new(),
            held: Vec::new(),
            due_kinds: BTreeSet::new(),
            failed_lately: 0,
            completed_lately: 0,
            kept: [0; 2],
            newest: None,
            own_jobs: OwnJobs::default(),
            ahead: AheadFacts::default(),
        };
        facts.read_unfinished(storage).await?;
        facts.read_finished(storage).await?;
        Ok(facts)
    }

    async fn read_unfinished(&mut self, storage: &dyn Storage) -> Result<()> {
        if self.counts.of(State::Processing) > 0 {
            self.lapsed = self.page(storage, Walk::Lapsed, SAMPLE).await?;
            let held = Walk::State(State::Processing, Direction::OldestFirst);
            self.held = self.page(storage, held, SAMPLE).await?;
        }
        if self.counts.oldest_due.is_some() {
            let due = self.page(storage, Walk::Due, SAMPLE).await?;
            self.due_kinds = due.into_iter().map(|job| job.kind).collect();
        }
        if UNFINISHED.iter().any(|state| self.counts.of(*state) > 0) {
            self.own_jobs = OwnJobs::read(storage, &self.name).await?;
        }
        if self.counts.total() > 0 {
            self.newest = self.page(storage, Walk::All(Direction::NewestFirst), 1).await?.pop();
        }
        Ok(())
    }

    async fn read_finished(&mut self, storage: &dyn Storage) -> Result<()> {
        let newest = |state| Walk::State(state, Direction::NewestFirst);
        let since = Timestamp::from_millis(self.counts.now.as_millis() - LATELY.as_millis() as i64);
        if self.counts.of(State::Failed) > 0 {
            let filter = ListFilter { entered: Some(since..END_OF_TIME), ..ListFilter::default() };
            let query = ListQuery::new(self.name.clone(), newest(State::Failed), COUNTED_MAX);
            self.failed_lately = storage.list(query.matching(filter)).await?.jobs.len();
        }
        if self.failed_lately > 0 && self.counts.of(State::Completed) > 0 {
            let completed = self.page(storage, newest(State::Completed), COUNTED_MAX).await?;
            self.completed_lately = completed.iter().filter(|job| job.entered_at() >= since).count();
        }
        let terminal = State::ALL.into_iter().filter(|state| state.is_terminal());
        if terminal.clone().map(|state| self.counts.of(state)).sum::<u64>() < KEPT_MIN {
            return Ok(());
        }
        for state in terminal {
            let sample = self.page(storage, newest(state), SAMPLE).await?;
            self.kept[0] += sample.len();
            self.kept[1] += sample.iter().filter(|job| job.purge_at.is_none()).count();
        }
        Ok(())
    }

    pub(super) async fn page(&self, storage: &dyn Storage, walk: Walk, limit: usize) -> Result<Vec<JobMeta>> {
        Ok(storage.list(ListQuery::new(self.name.clone(), walk, limit)).await?.jobs)
    }
}

impl WorkerFacts {
    fn of(info: WorkerInfo) -> Self {
        let about = AboutWorker::read(&info.about);
        Self { info, about }
    }

    /// The kinds that the worker has handlers for; `None` if it takes any, or does not tell all.
    pub(super) fn kinds(&self) -> Option<&[String]> {
        let about = self.about.as_ref().filter(|about| about.left_out.kinds == 0)?;
        about.kinds.as_deref()
    }

    pub(super) fn has_room(&self) -> bool {
        self.info.held < self.info.concurrency
    }
}
