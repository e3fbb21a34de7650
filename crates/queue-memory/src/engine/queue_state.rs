//! The records and indexes of one queue.

use super::{
    indexes::{IndexKeys, Indexes},
    packed_job::PackedJob,
    pauses::Pauses,
    traits_pool::TraitsPool,
};
use foldhash::HashMap;
use queue_core::{JobBody, JobId, Seq, Timestamp, lifecycle::TrackedJob};
use std::collections::{BTreeMap, btree_map::Entry};

/// One queue: the records by life, which life holds each id, and the indexes.
#[derive(Debug, Default)]
pub(super) struct QueueState {
    /// Boxed, since the nodes of a tree that grows at its end stay half empty.
    pub(super) entries: BTreeMap<Seq, Box<PackedJob>>,
    pub(super) ids: HashMap<JobId, Seq>,
    pub(super) indexes: Indexes,
    pub(super) pauses: Pauses,
    pool: TraitsPool,
}

impl QueueState {
    pub(super) fn by_id(&self, id: &JobId) -> Option<&PackedJob> {
        self.ids.get(id).and_then(|seq| self.entries.get(seq)).map(|entry| &**entry)
    }

    /// Packs a job of this queue.
    pub(super) fn pack(&mut self, job: TrackedJob, body: JobBody, payload_len: u32) -> PackedJob {
        PackedJob::pack(job, body, payload_len, &mut self.pool)
    }

    pub(super) fn insert(&mut self, entry: PackedJob, now: Timestamp) -> &PackedJob {
        self.indexes.insert(&IndexKeys::of(&entry), now);
        self.ids.insert(entry.id.clone(), entry.seq);
        self.insert_unindexed(entry)
    }

    pub(super) fn remove(&mut self, seq: Seq) -> Option<PackedJob> {
        let entry = self.remove_unindexed(seq)?;
        self.indexes.remove(&IndexKeys::of(&entry));
        self.ids.remove(&entry.id);
        Some(entry)
    }

    /// Changes a record and puts it where it then belongs.
    pub(super) fn update<T>(
        &mut self,
        seq: Seq,
        now: Timestamp,
        change: impl FnOnce(&mut PackedJob) -> T,
    ) -> Option<T> {
        let entry = self.entries.get_mut(&seq)?;
        let before = IndexKeys::of(entry);
        let answer = change(entry);
        self.indexes.remove(&before);
        self.indexes.insert(&IndexKeys::of(entry), now);
        Some(answer)
    }

    /// As [`insert`](Self::insert), or instead of a record of the same life, for a state whose
    /// indexes are built later.
    pub(super) fn insert_unindexed(&mut self, entry: PackedJob) -> &PackedJob {
        match self.entries.entry(entry.seq) {
            Entry::Vacant(vacant) => vacant.insert(Box::new(entry)),
            Entry::Occupied(occupied) => {
                let place = occupied.into_mut();
                **place = entry;
                place
            }
        }
    }

    /// As [`remove`](Self::remove), for a state whose indexes are built later.
    pub(super) fn remove_unindexed(&mut self, seq: Seq) -> Option<PackedJob> {
        self.entries.remove(&seq).map(|entry| *entry)
    }

    /// Builds everything but the records again.
    pub(super) fn index(&mut self, now: Timestamp) {
        self.ids = self.entries.iter().map(|(seq, entry)| (entry.id.clone(), *seq)).collect();
        self.indexes = Indexes::of(self.entries.values().map(|entry| IndexKeys::of(entry)), now);
    }
}
