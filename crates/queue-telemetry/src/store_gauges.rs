//! Gauges of what is stored, read when somebody asks.

use crate::{
    QueueMetrics,
    labels::QueueLabels,
    words::{DESTINATION, STATE},
};
use opentelemetry::KeyValue;
use parking_lot::Mutex;
use queue_core::{ErrorKind, QueueName, QueueStatus, QueuesQuery, Result, State, Storage, WorkerInfo};
use std::{collections::BTreeMap, sync::Arc};

/// The most pages of queues that are read.
const PAGES_MAX: usize = 10;
/// The words of the numbers of jobs.
const JOBS: [&str; 7] = ["due", "scheduled", "failing", "processing", "completed", "failed", "cancelled"];

/// What was read of each queue that is told apart, and of the rest of them together.
type Read = BTreeMap<String, (Arc<QueueLabels>, QueueGauges)>;

/// The queues whose gauges are not zero. A gauge keeps its value until another one is recorded, so
/// what is gone from the store has to be told once more.
#[derive(Debug, Default)]
pub(crate) struct RecordedQueues(Mutex<BTreeMap<String, Arc<QueueLabels>>>);

/// What is stored of a queue, or of the rest of them.
#[derive(Debug, Default)]
struct QueueGauges {
    jobs: [u64; JOBS.len()],
    oldest_due_secs: f64,
    paused: u64,
    workers: u64,
}

impl QueueMetrics {
    /// Reads from the store how many jobs there are in each state, how long the oldest due job has
    /// been due, what is paused, and which workers are present, and records it; zero for a queue
    /// that it knew before and that is gone.
    ///
    /// Call it at intervals, such as that of the exporter, in one process alone: the numbers are
    /// those of the whole store, and added up over processes they would be wrong. `queue serve`
    /// does the same for its `/metrics`.
    pub async fn read_store(&self, storage: &(impl Storage + ?Sized)) -> Result<()> {
        let mut read = Read::new();
        let mut next = storage.capabilities().queues.then(|| QueuesQuery::all(QueuesQuery::LIMIT_MAX));
        for _ in 0..PAGES_MAX {
            let Some(query) = next.take() else { break };
            let page = storage.queues(query).await?;
            for status in &page.queues {
                self.of(&mut read, &status.name).add(status);
            }
            next = page.next;
        }
        let workers = workers(storage).await?;
        for queue in workers.iter().flat_map(|worker| &worker.queues) {
            self.of(&mut read, queue).workers += 1;
        }
        self.record_all(read);
        self.record_slots(&workers);
        Ok(())
    }

    fn of<'a>(&self, read: &'a mut Read, queue: &QueueName) -> &'a mut QueueGauges {
        let labels = self.queue(queue);
        let name = labels.destination[0].value.as_str().into_owned();
        &mut read.entry(name).or_insert_with(|| (labels, QueueGauges::default())).1
    }

    /// Records what was read, and zero for what was there before.
    fn record_all(&self, read: Read) {
        let mut recorded = self.recorded().0.lock();
        for (labels, gauges) in read.values() {
            self.record(labels, gauges);
        }
        for (_, labels) in recorded.iter().filter(|(name, _)| !read.contains_key(*name)) {
            self.record(labels, &QueueGauges::default());
        }
        *recorded = read.into_iter().map(|(name, (labels, _))| (name, labels)).collect();
    }

    fn record(&self, labels: &QueueLabels, gauges: &QueueGauges) {
        let destination = &labels.destination;
        debug_assert_eq!(destination[0].key.as_str(), DESTINATION);
        for (state, count) in JOBS.into_iter().zip(gauges.jobs) {
            self.instruments().jobs.record(count, &[destination[0].clone(), KeyValue::new(STATE, state)]);
        }
        self.instruments().oldest_due.record(gauges.oldest_due_secs, destination);
        self.instruments().paused.record(gauges.paused, destination);
        self.instruments().workers.record(gauges.workers, destination);
    }

    fn record_slots(&self, workers: &[WorkerInfo]) {
        let mut slots = [("used", 0_u64), ("free", 0), ("prefetched", 0)];
        for worker in workers {
            let used = worker.running.min(worker.concurrency);
            slots[0].1 += u64::from(used);
            slots[1].1 += u64::from(worker.concurrency - used);
            slots[2].1 += u64::from(worker.running - used);
        }
        for (state, count) in slots {
            self.instruments().slots.record(count, &[KeyValue::new(STATE, state)]);
        }
    }
}

impl QueueGauges {
    fn add(&mut self, QueueStatus { pause, counts, .. }: &QueueStatus) {
        let waiting = counts.of(State::Queued) + counts.of(State::Failing);
        let jobs = [
            waiting.saturating_sub(counts.scheduled),
            counts.scheduled,
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
}

/// The workers that are present; none if the store keeps no workers.
async fn workers(storage: &(impl Storage + ?Sized)) -> Result<Vec<WorkerInfo>> {
    match storage.workers().await {
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(Vec::new()),
        workers => workers,
    }
}
