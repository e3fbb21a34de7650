//! The defects that make jobs due too early.

use crate::history_planted::store::PlantedStore;
use queue_core::{
    ListQuery, QueueName, Result, State, Storage, Walk,
    lifecycle::{Event, Policy, decide},
};

impl PlantedStore {
    /// Makes every job due that waits for its time.
    pub(super) async fn promote_all(&self, queue: &QueueName) -> Result<()> {
        let waiting = ListQuery::in_states(queue.clone(), vec![State::Queued, State::Failing], 100);
        let page = self.memory.list(waiting).await?;
        let later = page.jobs.iter().filter(|job| job.is_scheduled(page.now));
        let promotions =
            later.filter_map(|job| decide(job, Event::Promote, &Policy::default()).ok()).collect();
        self.memory.apply(promotions).await.map(drop)
    }

    /// Opens every gate, with or without the signals that it needs.
    pub(super) async fn open_all(&self, queue: &QueueName) -> Result<()> {
        let gated = self.memory.list(ListQuery::new(queue.clone(), Walk::Gated, 100)).await?.jobs;
        let promotions = gated.iter().filter_map(|job| decide(job, Event::Promote, &Policy::default()).ok());
        self.memory.apply(promotions.collect()).await.map(drop)
    }
}
