use super::HeldJob;
use slab::Slab;
use std::sync::Arc;

/// The jobs that a worker holds, each at a place of its own. In the order of places, so that a seeded run repeats itself.
#[derive(Debug, Default)]
pub(crate) struct HeldJobs(Slab<Arc<HeldJob>>);

impl HeldJobs {
    /// Adds the job that is made for a place; it may turn out to be none.
    pub(crate) fn add(&mut self, make: impl FnOnce(usize) -> Option<HeldJob>) -> Option<Arc<HeldJob>> {
        let entry = self.0.vacant_entry();
        let job = Arc::new(make(entry.key())?);
        entry.insert(job.clone());
        Some(job)
    }

    /// Doing so twice is once.
    pub(crate) fn remove(&mut self, job: &HeldJob) {
        if self.contains(job) {
            self.0.remove(job.place());
        }
    }

    /// The very job: its place may be another's by now.
    pub(crate) fn contains(&self, job: &HeldJob) -> bool {
        self.0.get(job.place()).is_some_and(|held| std::ptr::eq(Arc::as_ptr(held), job))
    }

    pub(crate) fn all(&self) -> Vec<Arc<HeldJob>> {
        self.0.iter().map(|(_, job)| job.clone()).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}
