//! Gauges of what is stored, read when somebody asks.

use crate::{QueueMetrics, labels::QueueLabels, words::STATE};
use opentelemetry::KeyValue;
use parking_lot::Mutex;
use queue_core::{QueueFilter, QueueGauges, QueueName, Result, Storage, StoreGauges};
use std::{collections::BTreeMap, sync::Arc};

/// The queues whose gauges are not zero. A gauge keeps its value until another one is recorded, so
/// what is gone from the store has to be told once more.
#[derive(Debug, Default)]
pub(crate) struct RecordedQueues(Mutex<BTreeMap<String, Arc<QueueLabels>>>);

impl QueueMetrics {
    /// Reads from the store how many jobs there are in each state, how long the oldest due job has
    /// been due, what is paused, and which workers are present, and records it; zero for a queue
    /// that it knew before and that is gone.
    ///
    /// Call it at intervals, such as that of the exporter, in one process alone: the numbers are
    /// those of the whole store, and added up over processes they would be wrong. `queue serve`
    /// does the same for its `/metrics`.
    pub async fn read_store(&self, storage: &(impl Storage + ?Sized)) -> Result<()> {
        self.read_store_of(storage, &QueueFilter::all()).await
    }

    /// The same for the queues that fit the filter alone. Of a store with more queues than are told
    /// apart, name those that matter: their gauges have names of their own, however many queues
    /// stand before them, unless the counters of others have used up the names.
    pub async fn read_store_of(&self, storage: &(impl Storage + ?Sized), filter: &QueueFilter) -> Result<()> {
        let seen = Mutex::new(BTreeMap::new());
        let name_of = |queue: &QueueName| {
            // Told apart as the counters tell them apart.
            let labels = self.queue(queue);
            let name = labels.destination[0].value.as_str().into_owned();
            seen.lock().insert(name.clone(), labels);
            Some(name)
        };
        let StoreGauges { queues, slots, .. } = StoreGauges::read(storage, filter, name_of).await?;
        self.record_all(seen.into_inner(), &queues);
        for (state, count) in slots.by_word() {
            self.instruments().slots.record(count, &[KeyValue::new(STATE, state)]);
        }
        Ok(())
    }

    /// Records what was read, and zero for what was there before.
    fn record_all(&self, seen: BTreeMap<String, Arc<QueueLabels>>, queues: &BTreeMap<String, QueueGauges>) {
        let (mut recorded, gone) = (self.recorded().0.lock(), QueueGauges::default());
        for (name, labels) in recorded.iter().chain(&seen) {
            self.record(labels, queues.get(name).unwrap_or(&gone));
        }
        *recorded = seen;
    }

    fn record(&self, labels: &QueueLabels, gauges: &QueueGauges) {
        let destination = &labels.destination;
        for (state, count) in gauges.jobs() {
            self.instruments().jobs.record(count, &[destination[0].clone(), KeyValue::new(STATE, state)]);
        }
        self.instruments().oldest_due.record(gauges.oldest_due_secs, destination);
        self.instruments().paused.record(gauges.paused, destination);
        self.instruments().workers.record(gauges.workers, destination);
    }
}
