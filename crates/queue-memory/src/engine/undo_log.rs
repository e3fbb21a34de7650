//! What a transaction changed, for the journal and for a rollback.

use super::{packed_job::PackedJob, pauses::Pauses, presence::Presence, series::SeriesKey};
use bytes::Bytes;
use queue_core::{Limit, LimitScope, QueueName, Seq, Timestamp};
use std::collections::{BTreeMap, btree_map::Entry};

/// The state before the first change since [`Engine::begin`](super::Engine::begin), from which a
/// journal learns what changed, and to which a failed write rolls back. It is off unless asked for.
#[derive(Debug, Default)]
pub(super) struct UndoLog {
    pub(super) is_recording: bool,
    pub(super) last_seq: u64,
    pub(super) jobs: BTreeMap<Seq, Option<PackedJob>>,
    /// The queues of changed and new lives.
    pub(super) queues: BTreeMap<Seq, QueueName>,
    pub(super) pauses: BTreeMap<QueueName, Pauses>,
    pub(super) limits: BTreeMap<QueueName, BTreeMap<LimitScope, Option<Limit>>>,
    pub(super) presence: Option<Presence>,
    pub(super) series: BTreeMap<SeriesKey, Option<(Bytes, Timestamp)>>,
    /// The queues that are new.
    pub(super) opened: Vec<QueueName>,
}

impl UndoLog {
    /// A record is about to change, or to go.
    pub(super) fn changes(&mut self, former: &PackedJob) {
        if !self.is_recording {
            return;
        }
        if let Entry::Vacant(vacant) = self.jobs.entry(former.seq) {
            vacant.insert(Some(former.clone()));
            self.queues.insert(former.seq, former.queue().clone());
        }
    }

    /// A record is new.
    pub(super) fn inserts(&mut self, new: &PackedJob) {
        if self.is_recording {
            self.jobs.entry(new.seq).or_insert(None);
            self.queues.insert(new.seq, new.queue().clone());
        }
    }

    /// A queue, or a kind of it, is about to be paused or resumed.
    pub(super) fn pauses(&mut self, queue: &QueueName, former: Pauses) {
        if self.is_recording {
            self.pauses.entry(queue.clone()).or_insert(former);
        }
    }

    /// A queue is about to be used for the first time.
    pub(super) fn opens(&mut self, queue: &QueueName) {
        if self.is_recording {
            self.opened.push(queue.clone());
        }
    }

    /// An entry of a series was written or removed.
    pub(super) fn writes_series(&mut self, key: &SeriesKey, former: Option<(Bytes, Timestamp)>) {
        if self.is_recording {
            self.series.entry(key.clone()).or_insert(former);
        }
    }

    /// A worker is about to be shown or hidden.
    pub(super) fn announces(&mut self, presence: &Presence) {
        if self.is_recording && self.presence.is_none() {
            self.presence = Some(presence.clone());
        }
    }
}
