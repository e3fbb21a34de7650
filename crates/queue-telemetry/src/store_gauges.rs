//! Gauges of what is stored, read on request.

use crate::{QueueMetrics, labels::QueueLabels, words::STATE};
use opentelemetry::KeyValue;
use parking_lot::Mutex;
use queue_core::{QueueFilter, QueueGauges, QueueName, Result, Storage, StoreGauges};
use std::{collections::BTreeMap, sync::Arc};

/// The queues whose gauges are not zero. A gauge keeps its value until another one is recorded, so
/// a queue that the store no longer has needs one more record, of zero.
#[derive(Debug, Default)]
pub(crate) struct RecordedQueues(Mutex<BTreeMap<String, Arc<QueueLabels>>>);

impl QueueMetrics {
    /// Reads from the store how many jobs are in each state, how long the oldest due job has been
    /// due, which batches are open, which partitions are full, which queues are paused, and which
    /// workers are present, and records it. A queue that was recorded before and is no longer in
    /// the store gets zeros.
    ///
    /// Call it at intervals, such as the exporter's, and in one process only: the numbers describe
    /// the whole store, and a sum over processes would be wrong. `queue serve` does the same for
    /// its `/metrics`.
    pub async fn read_store(&self, storage: &(impl Storage + ?Sized)) -> Result<()> {
        self.read_store_of(storage, &QueueFilter::all()).await
    }

    /// Like [`read_store`](Self::read_store), for the queues that match the filter. In a store with
    /// more queues than get labels of their own, filter for the ones that matter: each keeps its
    /// name however many other queues sort before it, unless counters of other queues have used up
    /// the names.
    pub async fn read_store_of(&self, storage: &(impl Storage + ?Sized), filter: &QueueFilter) -> Result<()> {
        let seen = Mutex::new(BTreeMap::new());
        let name_of = |queue: &QueueName| {
            // The gauges name queues as the counters do.
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

    /// Records what was read, and zero for each queue that was recorded before and was not read.
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
        self.instruments().batches.record(gauges.open_batches, destination);
        self.instruments().oldest_batch.record(gauges.oldest_batch_secs, destination);
        self.instruments().full_partitions.record(gauges.full_partitions, destination);
        self.instruments().oldest_blocked.record(gauges.oldest_blocked_secs, destination);
        self.instruments().paused.record(gauges.paused, destination);
        self.instruments().workers.record(gauges.workers, destination);
    }
}
