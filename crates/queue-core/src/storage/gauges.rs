//! What monitoring shows of a store.

use super::{
    ListFilter, ListQuery, Page, PartitionPage, PartitionQuery, QueueFilter, QueueStatus, Storage,
    StorageExt, Walk, WorkerInfo,
};
use crate::{ErrorKind, Kind, LibraryJob, QueueName, Result, State};
use std::collections::BTreeMap;

/// The words for numbers of jobs, in the order in which [`QueueGauges`] keeps them.
const JOBS: [&str; 8] =
    ["due", "scheduled", "gated", "failing", "processing", "completed", "failed", "cancelled"];

/// What monitoring shows of a store: numbers of jobs, pauses and workers, by queue.
///
/// Names that clients make up must not become time series without end, so the queues that are
/// counted separately are bounded.
///
/// ```
/// use queue_core::{QueueFilter, QueueGauges, Storage, StoreGauges};
///
/// /// How many jobs of all queues could start now.
/// async fn backlog(store: &dyn Storage) -> queue_core::Result<u64> {
///     let gauges = StoreGauges::read(store, &QueueFilter::all(), |queue| Some(queue.to_string())).await?;
///     let jobs = gauges.queues.values().flat_map(QueueGauges::jobs);
///     Ok(jobs.filter(|(word, _)| *word == "due").map(|(_, count)| count).sum())
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StoreGauges {
    /// What is stored, by the name of the queue. Beyond [`QUEUES_MAX`](Self::QUEUES_MAX) queues the
    /// others are added up under [`OTHER`](Self::OTHER).
    pub queues: BTreeMap<String, QueueGauges>,
    /// The slots of all workers that are present.
    pub slots: SlotGauges,
    /// Whether the store has more queues than are looked at, so that some may be missing here.
    pub has_more: bool,
}

/// What is stored of one queue, or of several together.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct QueueGauges {
    jobs: [u64; JOBS.len()],
    /// For how long the oldest due job has been due, in seconds; 0 if none is.
    pub oldest_due_secs: f64,
    /// How many of the queues are paused.
    pub paused: u64,
    /// The workers that are present.
    pub workers: u64,
    /// Batches whose end is waited for, of the first [`BATCHES_MAX`](StoreGauges::BATCHES_MAX) of
    /// each queue.
    pub open_batches: u64,
    /// For how long the oldest of them has been open, in seconds; 0 if none is.
    pub oldest_batch_secs: f64,
    /// Partitions whose due jobs wait for a slot, since their leases have reached their limit: of
    /// the first [`PARTITIONS_MAX`](StoreGauges::PARTITIONS_MAX) of each queue, by key.
    pub full_partitions: u64,
    /// For how long the oldest job of these partitions has been due, in seconds; 0 if none is.
    pub oldest_blocked_secs: f64,
}

/// The slots of workers, and the jobs that they hold beyond those.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlotGauges {
    /// Slots whose handler runs.
    pub used: u64,
    /// Slots that wait for a job.
    pub free: u64,
    /// Jobs that are held ready.
    pub prefetched: u64,
}

impl StoreGauges {
    /// The most queues that are counted separately.
    pub const QUEUES_MAX: usize = 200;
    /// The most batches of a queue that are looked at, in the order of their time-outs.
    pub const BATCHES_MAX: usize = 1000;
    /// The most partitions of a queue that are looked at, in the order of their keys.
    pub const PARTITIONS_MAX: usize = 1000;
    /// The most queues whose partitions are looked at: the first that have due jobs and a limit of
    /// how many run.
    pub const LIMITED_QUEUES_MAX: usize = 20;
    /// The name under which the other queues are added up.
    pub const OTHER: &str = "other";

    /// Reads the gauges of the queues that fit the filter, and of their workers. It looks at no
    /// more than [`QueueFilter::LOOKED_AT_MAX`] queues, and lists batches only in queues with gated
    /// jobs. Workers are left out if the store keeps none.
    ///
    /// `name_of` says under which name the gauges of a queue are added up, its own or one that it
    /// shares with others; `None` leaves it out.
    ///
    /// # Errors
    /// The errors of [`Storage::queues`], [`Storage::list`], [`Storage::partitions`] and
    /// [`Storage::workers`]. Nothing is written, so the future can be dropped at any time.
    pub async fn read(
        storage: &(impl Storage + ?Sized),
        filter: &QueueFilter,
        name_of: impl Fn(&QueueName) -> Option<String>,
    ) -> Result<Self> {
        let mut gauges = Self::default();
        let page = storage.first_queues_of(filter, QueueFilter::LOOKED_AT_MAX).await?;
        let mut limited = LimitedQueues::new(storage);
        for status in &page.queues {
            if let Some(name) = name_of(&status.name) {
                let gauges = gauges.of(name);
                gauges.add(status);
                if status.counts.gated > 0 {
                    gauges.add_batches(&open_batches(storage, &status.name).await?);
                }
                if let Some(page) = limited.partitions(storage, status).await? {
                    gauges.add_partitions(&page);
                }
            }
        }
        gauges.has_more = page.next.is_some();
        for worker in workers(storage).await? {
            let wanted = worker.queues.iter().filter(|queue| filter.matches(queue));
            let names: Vec<String> = wanted.filter_map(&name_of).collect();
            if !names.is_empty() {
                gauges.slots.add(&worker);
            }
            for name in names {
                gauges.of(name).workers += 1;
            }
        }
        Ok(gauges)
    }

    fn of(&mut self, name: String) -> &mut QueueGauges {
        let apart = self.queues.len() - usize::from(self.queues.contains_key(Self::OTHER));
        let is_apart = apart < Self::QUEUES_MAX || self.queues.contains_key(&name);
        self.queues.entry(if is_apart { name } else { Self::OTHER.to_owned() }).or_default()
    }
}

impl QueueGauges {
    /// The numbers of jobs with the word for each. A failing job is also due or scheduled.
    pub fn jobs(&self) -> impl Iterator<Item = (&'static str, u64)> {
        JOBS.into_iter().zip(self.jobs)
    }

    fn add(&mut self, QueueStatus { pause, counts, .. }: &QueueStatus) {
        let jobs = [
            counts.due(),
            counts.scheduled,
            counts.gated,
            counts.of(State::Failing),
            counts.of(State::Processing),
            counts.of(State::Completed),
            counts.of(State::Failed),
            counts.of(State::Cancelled),
        ];
        for (sum, count) in self.jobs.iter_mut().zip(jobs) {
            *sum += count;
        }
        let oldest = counts.oldest_due.map_or(0.0, |due| counts.now.since(due).as_secs_f64());
        self.oldest_due_secs = self.oldest_due_secs.max(oldest);
        self.paused += u64::from(pause.is_on());
    }

    fn add_batches(&mut self, open: &Page) {
        let ages = open.jobs.iter().map(|job| open.now.since(job.created_at).as_secs_f64());
        self.oldest_batch_secs = ages.fold(self.oldest_batch_secs, f64::max);
        self.open_batches += open.jobs.len() as u64;
    }

    fn add_partitions(&mut self, PartitionPage { partitions, now, .. }: &PartitionPage) {
        let full = partitions.iter().filter(|partition| partition.is_full());
        for due in full.filter_map(|partition| partition.oldest_due) {
            self.full_partitions += 1;
            self.oldest_blocked_secs = self.oldest_blocked_secs.max(now.since(due).as_secs_f64());
        }
    }
}

impl SlotGauges {
    fn add(&mut self, worker: &WorkerInfo) {
        let used = worker.held.min(worker.concurrency);
        self.used += u64::from(used);
        self.free += u64::from(worker.concurrency - used);
        self.prefetched += u64::from(worker.held - used);
    }

    /// The numbers with the word for each.
    pub fn by_word(&self) -> [(&'static str, u64); 3] {
        [("used", self.used), ("free", self.free), ("prefetched", self.prefetched)]
    }
}

/// The jobs that open batches are: they wait behind gates.
async fn open_batches(storage: &(impl Storage + ?Sized), queue: &QueueName) -> Result<Page> {
    let filter =
        ListFilter { kind: Some(Kind::from_static(LibraryJob::BATCH_KIND)), ..ListFilter::default() };
    let query = ListQuery::new(queue.clone(), Walk::Gated, StoreGauges::BATCHES_MAX);
    storage.list(query.matching(filter)).await
}

/// The queues whose partitions are looked at, so that their number bounds the reads.
struct LimitedQueues {
    /// How many more queues are asked for their limits; none of a store without partitions.
    asked_left: usize,
    /// How many more queues have their partitions listed.
    listed_left: usize,
}

impl LimitedQueues {
    fn new(storage: &(impl Storage + ?Sized)) -> Self {
        let has_partitions = storage.capabilities().limits.partitions;
        Self {
            asked_left: if has_partitions { StoreGauges::QUEUES_MAX } else { 0 },
            listed_left: StoreGauges::LIMITED_QUEUES_MAX,
        }
    }

    /// The first partitions of a queue in which jobs may wait for a slot.
    async fn partitions(
        &mut self,
        storage: &(impl Storage + ?Sized),
        QueueStatus { name, counts, .. }: &QueueStatus,
    ) -> Result<Option<PartitionPage>> {
        if counts.due() == 0 || self.asked_left == 0 || self.listed_left == 0 {
            return Ok(None);
        }
        self.asked_left -= 1;
        let limits = storage.limits(name).await?;
        if limits.iter().all(|(_, limit)| limit.running.is_none()) {
            return Ok(None);
        }
        self.listed_left -= 1;
        let query = PartitionQuery::all(name.clone(), StoreGauges::PARTITIONS_MAX);
        storage.partitions(query).await.map(Some)
    }
}

/// The workers that are present; none if the store keeps no workers.
async fn workers(storage: &(impl Storage + ?Sized)) -> Result<Vec<WorkerInfo>> {
    match storage.workers().await {
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(Vec::new()),
        workers => workers,
    }
}
