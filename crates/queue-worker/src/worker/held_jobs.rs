use super::HeldJob;
use slab::Slab;
use std::{collections::BTreeSet, sync::Arc};

/// The jobs that a worker holds, each at a place of its own. In the order of places, so that a seeded run repeats itself.
#[derive(Debug, Default)]
pub(crate) struct HeldJobs {
    places: Slab<Place>,
    /// How many are set aside.
    aside: usize,
    /// The queues whose outcomes the store does not take now, by their place among the worker's.
    away: BTreeSet<usize>,
}

#[derive(Debug)]
struct Place {
    job: Arc<HeldJob>,
    /// It has an outcome that waits until its queue is back, and takes no slot meanwhile.
    is_aside: bool,
}

impl HeldJobs {
    /// Adds the job that is made for a place; it may turn out to be none.
    pub(crate) fn add(&mut self, make: impl FnOnce(usize) -> Option<HeldJob>) -> Option<Arc<HeldJob>> {
        let entry = self.places.vacant_entry();
        let job = Arc::new(make(entry.key())?);
        entry.insert(Place { job: job.clone(), is_aside: false });
        Some(job)
    }

    /// Doing so twice is once.
    pub(crate) fn remove(&mut self, job: &HeldJob) {
        if self.contains(job) {
            let place = self.places.remove(job.place());
            self.aside -= usize::from(place.is_aside);
        }
    }

    /// The very job: its place may be another's by now.
    pub(crate) fn contains(&self, job: &HeldJob) -> bool {
        self.places.get(job.place()).is_some_and(|place| is_at(place, job))
    }

    pub(crate) fn all(&self) -> Vec<Arc<HeldJob>> {
        self.places.iter().map(|(_, place)| place.job.clone()).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// How many take a slot.
    pub(crate) fn in_slots(&self) -> usize {
        self.places.len() - self.aside
    }

    /// The store does not take this outcome now, nor others of its queue.
    pub(crate) fn set_aside(&mut self, job: &HeldJob) {
        self.away.insert(job.lane());
        if let Some(place) = self.places.get_mut(job.place()).filter(|place| is_at(place, job)) {
            self.aside += usize::from(!place.is_aside);
            place.is_aside = true;
        }
    }

    /// The store takes outcomes of the queue again.
    pub(crate) fn is_back(&mut self, lane: usize) {
        self.away.remove(&lane);
    }

    pub(crate) fn is_away(&self, lane: usize) -> bool {
        self.away.contains(&lane)
    }
}

fn is_at(place: &Place, job: &HeldJob) -> bool {
    std::ptr::eq(Arc::as_ptr(&place.job), job)
}
