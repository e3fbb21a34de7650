use super::{
    indexes::{Indexes, Place},
    stored_job::StoredJob,
};
use queue_core::{JobId, Seq, Timestamp};
use std::collections::{BTreeMap, HashMap};

/// One queue: the records by life, which life holds each id, and the indexes.
#[derive(Debug, Default)]
pub(super) struct QueueState {
    pub(super) entries: BTreeMap<Seq, StoredJob>,
    pub(super) ids: HashMap<JobId, Seq>,
    pub(super) indexes: Indexes,
    pub(super) paused: bool,
}

impl QueueState {
    pub(super) fn by_id(&self, id: &JobId) -> Option<&StoredJob> {
        self.ids.get(id).and_then(|seq| self.entries.get(seq))
    }

    pub(super) fn insert(&mut self, entry: StoredJob, now: Timestamp) {
        let meta = &entry.job.meta;
        self.indexes.insert(Place::of(meta), now);
        self.ids.insert(meta.id.clone(), meta.seq);
        self.entries.insert(meta.seq, entry);
    }

    pub(super) fn remove(&mut self, seq: Seq) -> Option<StoredJob> {
        let entry = self.entries.remove(&seq)?;
        self.indexes.remove(Place::of(&entry.job.meta));
        self.ids.remove(&entry.job.meta.id);
        Some(entry)
    }

    /// Changes a record and puts it where it then belongs.
    pub(super) fn update<T>(
        &mut self,
        seq: Seq,
        now: Timestamp,
        change: impl FnOnce(&mut StoredJob) -> T,
    ) -> Option<T> {
        let entry = self.entries.get_mut(&seq)?;
        let before = Place::of(&entry.job.meta);
        let answer = change(entry);
        self.indexes.remove(before);
        self.indexes.insert(Place::of(&entry.job.meta), now);
        Some(answer)
    }
}
