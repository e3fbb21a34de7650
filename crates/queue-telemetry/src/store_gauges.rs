//! Gauges of what is stored, read when somebody asks.

use crate::{
    QueueMetrics,
    labels::QUEUES_MAX,
    words::{DESTINATION, OTHER, STATE, shared},
};
use opentelemetry::KeyValue;
use queue_core::{ErrorKind, QueueName, QueueStatus, QueuesQuery, Result, State, Storage, WorkerInfo};
use std::collections::BTreeMap;

/// The most pages of queues that are read.
const PAGES_MAX: usize = 10;

/// What is stored of a queue, or of the rest of them.
#[derive(Debug, Default)]
struct QueueGauges {
    jobs: [(&'static str, u64); 7],
    oldest_due_secs: f64,
    paused: u64,
    workers: u64,
}

impl QueueMetrics {
    /// Reads from the store how many jobs there are in each state, how long the oldest due job has
    /// been due, what is paused, and which workers are present, and records it.
    ///
    /// Call it at intervals, such as that of the exporter, in one process alone: the numbers are
    /// those of the whole store, and added up over processes they would be wrong. `queue serve`
    /// does the same for its `/metrics`.
    pub async fn read_store(&self, storage: &(impl Storage + ?Sized)) -> Result<()> {
        let mut queues: BTreeMap<String, QueueGauges> = BTreeMap::new();
        let mut next = storage.capabilities().queues.then(|| QueuesQuery::all(QueuesQuery::LIMIT_MAX));
        for _ in 0..PAGES_MAX {
            let Some(query) = next.take() else { break };
            let page = storage.queues(query).await?;
            for status in &page.queues {
                of(&mut queues, &status.name).add(status);
            }
            next = page.next;
        }
        let workers = workers(storage).await?;
        for queue in workers.iter().flat_map(|worker| &worker.queues) {
            of(&mut queues, queue).workers += 1;
        }
        for (name, gauges) in &queues {
            self.record(name, gauges);
        }
        self.record_slots(&workers);
        Ok(())
    }

    fn record(&self, name: &str, gauges: &QueueGauges) {
        let destination = shared(DESTINATION, name);
        for (state, count) in gauges.jobs.iter().filter(|(state, _)| !state.is_empty()) {
            let labels = [destination.clone(), KeyValue::new(STATE, *state)];
            self.instruments().jobs.record(*count, &labels);
        }
        let labels = [destination];
        self.instruments().oldest_due.record(gauges.oldest_due_secs, &labels);
        self.instruments().paused.record(gauges.paused, &labels);
        self.instruments().workers.record(gauges.workers, &labels);
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
        let of = |state: State| (state.as_str(), counts.of(state));
        let jobs = [
            ("due", waiting.saturating_sub(counts.scheduled)),
            ("scheduled", counts.scheduled),
            of(State::Failing),
            of(State::Processing),
            of(State::Completed),
            of(State::Failed),
            of(State::Cancelled),
        ];
        for (sum, (state, count)) in self.jobs.iter_mut().zip(jobs) {
            *sum = (state, sum.1 + count);
        }
        let oldest = counts.oldest_due.map_or(0.0, |due| counts.now.since(due).as_secs_f64());
        self.oldest_due_secs = self.oldest_due_secs.max(oldest);
        self.paused += u64::from(pause.is_on());
    }
}

fn of<'a>(queues: &'a mut BTreeMap<String, QueueGauges>, queue: &QueueName) -> &'a mut QueueGauges {
    let is_apart = queues.len() < QUEUES_MAX || queues.contains_key(queue.as_str());
    queues.entry(if is_apart { queue.as_str() } else { OTHER }.to_owned()).or_default()
}

/// The workers that are present; none if the store keeps no workers.
async fn workers(storage: &(impl Storage + ?Sized)) -> Result<Vec<WorkerInfo>> {
    match storage.workers().await {
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(Vec::new()),
        workers => workers,
    }
}
