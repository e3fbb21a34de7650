//! All jobs that a worker holds, the slots that they take, and the signals that slots are free.

use super::HeldJob;
use parking_lot::{Mutex, MutexGuard};
use slab::Slab;
use std::{collections::BTreeSet, sync::Arc};
use tokio::sync::Notify;

/// The jobs that a worker holds. A job takes a slot while it runs, while it waits for a handler,
/// and while its settle is not durable. Only jobs that are set aside take none.
#[derive(Debug, Default)]
pub(in crate::worker) struct HeldJobs {
    table: Mutex<HeldJobTable>,
    room_freed: Notify,
    emptied: Notify,
    held_late: Notify,
}

/// The jobs by their entry. They are listed in the order of entries, so that a seeded run repeats
/// itself.
#[derive(Debug, Default)]
pub(in crate::worker) struct HeldJobTable {
    entries: Slab<HeldEntry>,
    /// How many are set aside.
    aside: usize,
    /// The indexes of queues whose outcomes the store does not take now.
    away: BTreeSet<usize>,
}

#[derive(Debug)]
struct HeldEntry {
    job: Arc<HeldJob>,
    /// The job has an outcome that waits until its queue is back, and takes no slot meanwhile.
    is_aside: bool,
}

impl HeldJobs {
    /// Adds jobs, as many as the function adds to the table, under one lock.
    pub(in crate::worker) fn add<T>(&self, add: impl FnOnce(&mut HeldJobTable) -> T) -> T {
        add(&mut self.lock())
    }

    /// Removes jobs, and frees their slots and the starts that were reserved for them and not used.
    pub(in crate::worker) fn let_go<'a>(&self, jobs: impl IntoIterator<Item = &'a HeldJob>) {
        let mut table = self.lock();
        for job in jobs {
            drop(job.take_start());
            table.remove(job);
        }
        if table.entries.is_empty() {
            self.emptied.notify_one();
        }
        drop(table);
        self.room_freed.notify_one();
    }

    /// Takes jobs out of their slots because the store does not take their outcomes now. The slots
    /// go to other queues, and no jobs of this queue are claimed meanwhile, so that a worker holds
    /// at most its slots of each queue.
    pub(in crate::worker) fn set_aside<'a>(&self, jobs: impl IntoIterator<Item = &'a HeldJob>) {
        let mut table = self.lock();
        jobs.into_iter().for_each(|job| table.set_aside(job));
        drop(table);
        self.room_freed.notify_one();
    }

    /// Notes that the store takes outcomes of a queue again.
    pub(in crate::worker) fn set_back(&self, queue_index: usize) {
        self.lock().away.remove(&queue_index);
        self.room_freed.notify_one();
    }

    /// Whether the store takes no outcomes of a queue now.
    pub(in crate::worker) fn is_away(&self, queue_index: usize) -> bool {
        self.lock().away.contains(&queue_index)
    }

    pub(in crate::worker) fn all(&self) -> Vec<Arc<HeldJob>> {
        self.lock().entries.iter().map(|(_, entry)| entry.job.clone()).collect()
    }

    /// Whether this very job is held. Its entry may be another job's by now.
    pub(in crate::worker) fn contains(&self, job: &HeldJob) -> bool {
        self.lock().contains(job)
    }

    pub(in crate::worker) fn count(&self) -> usize {
        self.lock().entries.len()
    }

    pub(in crate::worker) fn slots_taken(&self) -> usize {
        let table = self.lock();
        table.entries.len() - table.aside
    }

    /// Resolves when there may be room for more jobs. One caller is woken, the fetcher.
    pub(in crate::worker) async fn room_freed(&self) {
        self.room_freed.notified().await;
    }

    /// Says that there may be room for more jobs.
    pub(in crate::worker) fn signal_room(&self) {
        self.room_freed.notify_one();
    }

    /// Resolves when the last job was let go. One caller is woken, the fetcher.
    pub(in crate::worker) async fn emptied(&self) {
        self.emptied.notified().await;
    }

    /// Resolves when a job came under a lease that lapses soon. One caller is woken, the heartbeat.
    pub(super) async fn held_late(&self) {
        self.held_late.notified().await;
    }

    /// Says that a job came under a lease that lapses soon.
    pub(super) fn signal_held_late(&self) {
        self.held_late.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, HeldJobTable> {
        self.table.lock()
    }
}

impl HeldJobTable {
    /// Adds the job that is made for an entry, if one is.
    pub(in crate::worker) fn add(
        &mut self,
        make: impl FnOnce(usize) -> Option<HeldJob>,
    ) -> Option<Arc<HeldJob>> {
        let vacant = self.entries.vacant_entry();
        let job = Arc::new(make(vacant.key())?);
        vacant.insert(HeldEntry { job: job.clone(), is_aside: false });
        Some(job)
    }

    /// Removing a job twice is once.
    fn remove(&mut self, job: &HeldJob) {
        if self.contains(job) {
            let entry = self.entries.remove(job.entry());
            self.aside -= usize::from(entry.is_aside);
        }
    }

    fn contains(&self, job: &HeldJob) -> bool {
        self.entries.get(job.entry()).is_some_and(|entry| entry.is_of(job))
    }

    fn set_aside(&mut self, job: &HeldJob) {
        self.away.insert(job.queue_index());
        if let Some(entry) = self.entries.get_mut(job.entry()).filter(|entry| entry.is_of(job)) {
            self.aside += usize::from(!entry.is_aside);
            entry.is_aside = true;
        }
    }
}

impl HeldEntry {
    fn is_of(&self, job: &HeldJob) -> bool {
        std::ptr::eq(Arc::as_ptr(&self.job), job)
    }
}
