//! Which job a claim gets next.

use super::{queue_state::QueueState, ready_index::ReadyPlace};
use queue_core::{Kind, Seq, Timestamp};

/// The job that a claim gets next.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextJob {
    pub(super) seq: Seq,
    /// It takes a slot of a partition with a limit.
    pub(super) is_limited: bool,
}

/// The claim has set aside or brought back as many jobs as it may.
struct BoundReached;

impl QueueState {
    /// The job to be claimed next, once the jobs of paused kinds in front of it are set aside.
    /// `room` says how many may be, and counts them. `None`: there is no such job, or it was not
    /// reached.
    #[inline]
    pub(super) fn next_claimable(
        &mut self,
        now: Timestamp,
        room: &mut usize,
        with_limited: bool,
    ) -> Option<NextJob> {
        if self.indexes.partitions.is_some() {
            return self.next_in_turn(now, room, with_limited).ok().flatten();
        }
        let place =
            if self.is_plain() { self.indexes.ready.first() } else { self.next_in_line(now, room).ok()? };
        place.map(|(.., seq)| NextJob { seq, is_limited: false })
    }

    /// Whether a partition with a limit has a job to give and a slot.
    pub(super) fn has_limited(&self) -> bool {
        self.indexes.partitions.as_ref().is_some_and(|partitions| partitions.has_limited())
    }

    /// How many due jobs there are at most.
    pub(super) fn due(&self) -> usize {
        let in_turn = self.indexes.partitions.as_ref().map_or(0, |partitions| partitions.due.len());
        self.indexes.ready.len() + in_turn
    }

    /// Whether no kind is paused, and no job was set aside.
    fn is_plain(&self) -> bool {
        self.pauses.kinds.is_empty() && self.indexes.aside.is_empty()
    }

    /// The next job without a partition.
    fn next_in_line(&mut self, now: Timestamp, room: &mut usize) -> Result<Option<ReadyPlace>, BoundReached> {
        if self.is_plain() {
            return Ok(self.indexes.ready.first());
        }
        while let Some((priority, run_at, seq)) = self.indexes.ready.first() {
            let Some(kind) = self.entries.get(&seq).map(|entry| &entry.traits.kind) else { break };
            if !self.pauses.stops(kind, now) {
                break;
            }
            *room = room.checked_sub(1).ok_or(BoundReached)?;
            self.indexes.ready.remove(priority, run_at, seq);
            self.indexes.aside.entry(kind.clone()).or_default().insert(priority, run_at, seq);
        }
        let lines = self.indexes.aside.iter().filter(|(kind, _)| !self.pauses.stops(kind, now));
        Ok(lines.filter_map(|(_, line)| line.first()).chain(self.indexes.ready.first()).min())
    }

    /// The next job of the partition whose turn it is.
    #[inline(never)]
    fn next_in_turn(
        &mut self,
        now: Timestamp,
        room: &mut usize,
        with_limited: bool,
    ) -> Result<Option<NextJob>, BoundReached> {
        self.bring_back(now, room)?;
        let in_line = self.next_in_line(now, room)?;
        let Some(partitions) = &mut self.indexes.partitions else { return Ok(None) };
        while let Some(front) = partitions.first(in_line, with_limited) {
            let Some(partition) = front.partition else {
                return Ok(in_line.map(|(.., seq)| NextJob { seq, is_limited: false }));
            };
            let Some(place) = partitions.next_of(&partition) else { break };
            let Some(entry) = self.entries.get(&place.2) else { break };
            if !self.pauses.stops(&entry.traits.kind, now) {
                let is_limited = partitions.is_limited(&partition);
                return Ok(Some(NextJob { seq: place.2, is_limited }));
            }
            *room = room.checked_sub(1).ok_or(BoundReached)?;
            partitions.set_aside(&partition, &entry.traits.kind, place);
        }
        Ok(None)
    }

    /// Brings jobs back to their partitions that were set aside and whose kind is not paused any
    /// more.
    fn bring_back(&mut self, now: Timestamp, room: &mut usize) -> Result<(), BoundReached> {
        let Some(partitions) = &mut self.indexes.partitions else { return Ok(()) };
        let resumed = |kind: &&Kind| !self.pauses.stops(kind, now);
        let kinds: Vec<Kind> = partitions.aside.keys().filter(resumed).cloned().collect();
        for kind in &kinds {
            while partitions.aside.contains_key(kind) {
                *room = room.checked_sub(1).ok_or(BoundReached)?;
                let Some(place) = partitions.take_aside(kind) else { break };
                let entry = self.entries.get(&place.2);
                if let Some(partition) = entry.and_then(|entry| entry.traits.partition.as_ref()) {
                    partitions.put_back(partition, place);
                }
            }
        }
        Ok(())
    }
}
