//! The records and indexes of one queue.

use super::{
    indexes::{IndexKeys, Indexes},
    packed_job::PackedJob,
    pauses::Pauses,
    traits_pool::TraitsPool,
};
use foldhash::HashMap;
use queue_core::{JobBody, JobId, Seq, Timestamp, lifecycle::TrackedJob};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

/// One queue: the records by life, which life holds each id, and the indexes.
#[derive(Debug, Default)]
pub(super) struct QueueState {
    /// Boxed, since the nodes of a tree that grows at its end stay half empty.
    pub(super) entries: BTreeMap<Seq, Box<PackedJob>>,
    pub(super) ids: HashMap<JobId, Seq>,
    pub(super) indexes: Indexes,
    pub(super) pauses: Pauses,
    pool: TraitsPool,
    /// See [`take_opened`](Self::take_opened).
    has_opened: bool,
}

impl QueueState {
    pub(super) fn by_id(&self, id: &JobId) -> Option<&PackedJob> {
        self.ids.get(id).and_then(|seq| self.entries.get(seq)).map(|entry| &**entry)
    }

    /// Packs a job of this queue.
    pub(super) fn pack(&mut self, job: TrackedJob, body: JobBody, payload_len: u32) -> PackedJob {
        let Self { pool, indexes, .. } = self;
        PackedJob::pack(job, body, payload_len, |traits| match (&traits.partition, &indexes.partitions) {
            (None, _) => pool.share(traits),
            (Some(partition), Some(partitions)) => partitions.share(partition, traits.clone()),
            (Some(_), None) => Arc::new(traits),
        })
    }

    pub(super) fn insert(&mut self, entry: PackedJob, now: Timestamp) -> &PackedJob {
        self.indexes.insert(&IndexKeys::of(&entry), now);
        if let Some(partition) = &entry.traits.partition {
            self.indexes.refresh(partition);
            if let Some(partitions) = &mut self.indexes.partitions {
                partitions.remember(partition, &entry.traits);
            }
        }
        self.ids.insert(entry.id.clone(), entry.seq);
        self.insert_unindexed(entry)
    }

    pub(super) fn remove(&mut self, seq: Seq) -> Option<PackedJob> {
        let entry = self.remove_unindexed(seq)?;
        let keys = IndexKeys::of(&entry);
        self.indexes.remove(&keys);
        self.moved(&keys);
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
        let after = IndexKeys::of(entry);
        self.indexes.remove(&before);
        self.indexes.insert(&after, now);
        if self.indexes.partitions.is_some() {
            self.take_turns(&before, &after);
        }
        Some(answer)
    }

    /// A job has changed in a queue with partitions.
    #[inline(never)]
    fn take_turns(&mut self, before: &IndexKeys, after: &IndexKeys) {
        // However it came to be leased: by a claim, or by the journal of another handle.
        if after.is_leased()
            && !before.is_leased()
            && let Some(partitions) = &mut self.indexes.partitions
        {
            partitions.took_turn(after.partition());
        }
        self.moved(before);
    }

    /// A job has changed, or is absent now: its partition may have another place.
    fn moved(&mut self, before: &IndexKeys) {
        let Some(partition) = before.partition() else { return };
        let has_opened = self.indexes.refresh(partition);
        self.has_opened |= has_opened && before.is_leased();
    }

    /// Whether the end of a lease has opened a full partition with due jobs since the last look.
    pub(super) fn take_opened(&mut self) -> bool {
        std::mem::take(&mut self.has_opened)
    }

    /// Moves jobs whose time has come to the due ones, and jobs whose gate has timed out. Each job
    /// moves once, so the amortized cost is constant.
    pub(super) fn promote(&mut self, now: Timestamp) {
        while let Some(place) = self.indexes.pop_timed(now) {
            let entry = self.indexes.partitions.as_ref().and_then(|_| self.entries.get(&place.2));
            let partition = entry.and_then(|entry| entry.traits.partition.clone());
            self.indexes.insert_due(partition.as_ref(), place);
            partition.map(|partition| self.indexes.refresh(&partition));
        }
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
        let limits = self.indexes.partitions.take().map(|partitions| partitions.limits).unwrap_or_default();
        self.indexes = Indexes::of(self.entries.values().map(|entry| IndexKeys::of(entry)), limits, now);
        if let Some(partitions) = &mut self.indexes.partitions {
            let mut claimed = BTreeMap::new();
            for entry in self.entries.values_mut() {
                let Some(partition) = &entry.traits.partition else { continue };
                let shared = partitions.share(partition, (*entry.traits).clone());
                partitions.remember(partition, &shared);
                let last: &mut Option<Timestamp> = claimed.entry(partition.clone()).or_default();
                *last = (*last).max(entry.course().claimed_at);
                entry.traits = shared;
            }
            partitions.place_anew(&claimed);
        }
    }
}
