//! Leasing jobs in a queue with partitions or limits.

use super::super::transaction::Transaction;
use crate::{
    failure::{KvFailure, KvResult},
    keys, values,
};
use queue_core::{
    AnswerRoom, ClaimRequest, ClaimedJob, Kind, PausedKind, QueueName, Seq, lifecycle::PartitionFront,
};
use queue_store::KindPauses;

impl Transaction<'_> {
    /// Leases due jobs in turn. Answers whether the claim has fewer jobs than it may because it may
    /// have no more of partitions with a limit.
    pub(in super::super) fn claim_in_turn(
        &mut self,
        request: &ClaimRequest,
        limit: usize,
        kinds: &mut KindPauses,
        jobs: &mut Vec<ClaimedJob>,
    ) -> KvResult<bool> {
        if limit == 0 {
            return Ok(false);
        }
        let queue = &request.queue;
        let mut aside_room = PausedKind::SET_ASIDE_MAX;
        let mut limited_room = request.limited_max;
        if self.bring_back_in_turn(queue, kinds, &mut aside_room)? {
            self.settle_partitions()?;
            self.place_line(queue, false)?;
            let mut room = AnswerRoom::new(request.bytes_max);
            while jobs.len() < limit
                && let Some(front) = self.view().first_front(queue, limited_room > 0)?
            {
                let next = self.view().next_of(queue, front.partition.as_ref())?;
                let (entry, bytes) = next.ok_or_else(|| KvFailure::corrupt("a front has no due job"))?;
                if let Some(kind) = self.stopped_kind(queue, keys::seq_of(&entry), kinds)? {
                    let Some(fewer) = aside_room.checked_sub(1) else { break };
                    aside_room = fewer;
                    self.set_aside_in_turn(queue, &front, &kind, (&entry, &bytes))?;
                    continue;
                }
                if !room.takes(usize::try_from(values::read_number(&bytes)?).unwrap_or(usize::MAX)) {
                    break;
                }
                jobs.push(self.lease(request, keys::seq_of(&entry))?);
                limited_room -= usize::from(front.is_limited);
                self.move_on(queue, &front, true)?;
            }
        } else {
            self.settle_partitions()?;
        }
        kinds.set_aside = PausedKind::SET_ASIDE_MAX - aside_room;
        Ok(jobs.len() < limit && limited_room == 0 && self.view().has_limited_front(queue)?)
    }

    /// The kind of a job, if that is paused.
    fn stopped_kind(&self, queue: &QueueName, seq: Seq, kinds: &KindPauses) -> KvResult<Option<Kind>> {
        if kinds.pauses.is_empty() {
            return Ok(None);
        }
        let found = self.view().life(queue, seq)?;
        let kind = found.ok_or_else(|| KvFailure::corrupt("an index entry has no record"))?.job.meta.kind;
        Ok(Some(kind).filter(|kind| kinds.stops(kind)))
    }

    /// The next job of a front leaves the way of claims.
    fn set_aside_in_turn(
        &mut self,
        queue: &QueueName,
        front: &PartitionFront,
        kind: &Kind,
        (entry, payload_bytes): (&[u8], &[u8]),
    ) -> KvResult<()> {
        let partition = front.partition.as_ref();
        let aside = values::aside(payload_bytes, partition);
        self.put(&keys::aside_of_ready(queue, kind, entry), &aside)?;
        self.delete_due(queue, partition, keys::place_of(entry))?;
        self.move_on(queue, front, false)
    }

    /// The next job of a front was taken, or set aside: the front moves on.
    fn move_on(&mut self, queue: &QueueName, front: &PartitionFront, took_turn: bool) -> KvResult<()> {
        let Some(partition) = &front.partition else { return self.place_line(queue, took_turn) };
        let change = self.partitions.take(queue, partition);
        self.settle_partition(queue, partition, change, took_turn)
    }
}
