//! Checks that a waiting job stands in one place.

use super::{Dump, partitions::due_members};
use crate::{kinds::line_member, row};
use bytes::Bytes;
use queue_core::{JobMeta, Partition};

/// What stands in front of a job behind a closed gate among the members of `listed`.
pub(super) const GATED: u8 = 7;

/// The members under which a job may wait: among the due ones, in `listed` if it has a partition,
/// among the scheduled ones, behind a gate, and in the line of its kind.
pub(super) struct WaitingMembers {
    pub(super) ready: Bytes,
    pub(super) in_partition: Option<[Bytes; 2]>,
    pub(super) later: Bytes,
    pub(super) gated: Bytes,
    pub(super) aside: Bytes,
}

impl WaitingMembers {
    pub(super) fn of(seq: &[u8], meta: &JobMeta) -> Self {
        let priority = row::priority_bytes(meta.priority);
        let run_at = row::six(meta.run_at.as_millis().unsigned_abs());
        let key = meta.partition.as_ref().map_or("", Partition::as_str).as_bytes();
        let ready = [&priority[..], &run_at, seq].concat();
        Self {
            in_partition: meta.partition.as_ref().map(|partition| due_members(partition, &ready)),
            later: [seq, &priority, &run_at, key].concat().into(),
            gated: [&[GATED], &run_at[..], seq, &priority, key].concat().into(),
            aside: line_member(&meta.kind, &[&ready, key].concat()).into(),
            ready: ready.into(),
        }
    }

    /// Whether the job stands among the due ones, those that no claim has set aside.
    pub(super) fn is_ready(&self, dump: &Dump) -> bool {
        match &self.in_partition {
            Some(members) => members.iter().all(|member| dump.listed.contains_key(member)),
            None => dump.ready.contains_key(&self.ready),
        }
    }
}
