//! Gauges of what is stored, read when somebody asks.

use crate::{
    QueueMetrics,
    words::{DESTINATION, STATE, shared},
};
use opentelemetry::KeyValue;
use queue_core::{QueueGauges, Result, Storage, StoreGauges};

impl QueueMetrics {
    /// Reads from the store how many jobs there are in each state, how long the oldest due job has
    /// been due, what is paused, and which workers are present, and records it.
    ///
    /// Call it at intervals, such as that of the exporter, in one process alone: the numbers are
    /// those of the whole store, and added up over processes they would be wrong. `queue serve`
    /// does the same for its `/metrics`.
    pub async fn read_store(&self, storage: &(impl Storage + ?Sized)) -> Result<()> {
        let StoreGauges { queues, slots, .. } =
            StoreGauges::read(storage, |queue| Some(queue.to_string())).await?;
        for (name, gauges) in &queues {
            self.record(name, gauges);
        }
        for (state, count) in slots.by_word() {
            self.instruments().slots.record(count, &[KeyValue::new(STATE, state)]);
        }
        Ok(())
    }

    fn record(&self, name: &str, gauges: &QueueGauges) {
        let destination = shared(DESTINATION, name);
        for (state, count) in gauges.jobs() {
            self.instruments().jobs.record(count, &[destination.clone(), KeyValue::new(STATE, state)]);
        }
        let labels = [destination];
        self.instruments().oldest_due.record(gauges.oldest_due_secs, &labels);
        self.instruments().paused.record(gauges.paused, &labels);
        self.instruments().workers.record(gauges.workers, &labels);
    }
}
