//! Writing what a transaction changed of partitions.

use super::super::transaction::Transaction;
use crate::{
    failure::{KvFailure, KvResult},
    keys::{self, Family},
    values::{self, QueueMarks, Turns},
};
use queue_core::{
    Limit, Partition, QueueName,
    lifecycle::{Opening, TurnPlace},
};
use queue_store::PartitionChange;

impl Transaction<'_> {
    /// Writes the partitions that the transaction has changed so far, with their fronts. A queue
    /// without any costs one look at an empty map.
    pub(in super::super) fn settle_partitions(&mut self) -> KvResult<()> {
        while let Some(((queue, partition), change)) = self.partitions.pop() {
            self.settle_partition(&queue, &partition, change, false)?;
        }
        Ok(())
    }

    /// Writes one partition, and forgets it if it has neither jobs nor a limit of its own.
    pub(super) fn settle_partition(
        &mut self,
        queue: &QueueName,
        partition: &Partition,
        change: PartitionChange,
        took_turn: bool,
    ) -> KvResult<()> {
        if !change.is_any() {
            return Ok(());
        }
        let stored = self.view().lane(queue, partition)?;
        let in_force = self.view().limit_of(queue, Some(partition))?;
        let limit = &in_force.limit;
        let mut lane = stored.unwrap_or_default();
        let former = lane.place;
        lane.leases = counted(lane.leases, change.leases)?;
        lane.waiting = counted(lane.waiting, change.waiting)?;
        let turned = if took_turn { self.turned(queue, former, limit)? } else { former };
        let next = self.next_priority(queue, Some(partition))?;
        lane.place = self.placed(queue, turned, Opening::of(next, lane.leases, limit), limit)?;
        self.stand(queue, Some(partition), former, lane.place)?;
        let key = keys::partition(queue, partition);
        let is_kept = in_force.keeps(lane.leases, lane.waiting);
        if is_kept && stored != Some(lane) {
            self.put(&key, &values::lane(&lane))?;
        } else if !is_kept && stored.is_some() {
            self.delete(&key)?;
        }
        if stored.is_some() != is_kept {
            self.mark_partitions(queue)?;
        }
        if change.opens(former, lane.place) {
            self.notices.wake(queue);
        }
        Ok(())
    }

    /// Finds out where the jobs without a partition stand, which enqueues and settles do not write
    /// down.
    pub(super) fn place_line(&mut self, queue: &QueueName, took_turn: bool) -> KvResult<()> {
        let former = self.turns(queue)?.line;
        let opening = Opening::unpartitioned(self.next_priority(queue, None)?);
        if !took_turn && former.map(|place| place.opening) == opening {
            return Ok(());
        }
        let limit = self.view().limit_of(queue, None)?.limit;
        let turned = if took_turn { self.turned(queue, former, &limit)? } else { former };
        let line = self.placed(queue, turned, opening, &limit)?;
        self.stand(queue, None, former, line)?;
        let turns = self.turns(queue)?;
        self.set_turns(queue, Turns { line, ..turns });
        Ok(())
    }

    /// Writes down whether a queue has partitions or limits. The turns of one that has none any
    /// more are forgotten.
    pub(super) fn mark_partitions(&mut self, queue: &QueueName) -> KvResult<()> {
        let mut has_any = false;
        for family in [Family::Partitions, Family::Limits] {
            has_any = has_any || !self.view().scan(&keys::all(family, queue), 1)?.is_empty();
        }
        if !has_any && self.marks(queue)?.partitions {
            let line = self.turns(queue)?.line;
            self.stand(queue, None, line, None)?;
            self.turns.remove(queue);
            self.delete(&keys::of_queue_alone(Family::Turns, queue))?;
        }
        self.mark(queue, |marks| QueueMarks { partitions: has_any, ..marks })
    }

    /// Writes the turns that were taken.
    pub(in super::super) fn save_turns(&mut self) -> KvResult<()> {
        for (queue, (turns, has_changed)) in std::mem::take(&mut self.turns) {
            if has_changed {
                self.put(&keys::of_queue_alone(Family::Turns, &queue), &values::turns(&turns))?;
            }
        }
        Ok(())
    }

    /// The place of a partition with this opening.
    fn placed(
        &mut self,
        queue: &QueueName,
        former: Option<TurnPlace>,
        opening: Option<Opening>,
        limit: &Limit,
    ) -> KvResult<Option<TurnPlace>> {
        let Some(opening) = opening else { return Ok(None) };
        if let Some(kept) = opening.kept(former) {
            return Ok(Some(kept));
        }
        let lowest = self.view().lowest_turn(queue, opening.priority)?;
        Ok(Some(opening.behind(self.turns(queue)?.present, lowest, limit)))
    }

    /// Moves the front of a partition, or of the jobs without one.
    fn stand(
        &mut self,
        queue: &QueueName,
        partition: Option<&Partition>,
        former: Option<TurnPlace>,
        place: Option<TurnPlace>,
    ) -> KvResult<()> {
        let key = |place| keys::front(queue, place, partition);
        if former == place {
            return Ok(());
        }
        if let Some(former) = former {
            self.delete(&key(former))?;
        }
        place.map_or(Ok(()), |place| self.put(&key(place), &[]))
    }

    /// A job of the partition at this place was taken: its turn moves on.
    fn turned(
        &mut self,
        queue: &QueueName,
        place: Option<TurnPlace>,
        limit: &Limit,
    ) -> KvResult<Option<TurnPlace>> {
        let Some(place) = place else { return Ok(None) };
        let turns = self.turns(queue)?;
        self.set_turns(queue, Turns { present: place.turn, ..turns });
        Ok(Some(place.after_job(limit)))
    }

    /// The priority of the next job of a partition, or of those without one.
    fn next_priority(&self, queue: &QueueName, partition: Option<&Partition>) -> KvResult<Option<i16>> {
        let next = self.view().next_of(queue, partition)?;
        Ok(next.map(|(entry, _)| keys::priority_of(&entry)))
    }

    /// The turns of a queue, read once in a transaction.
    fn turns(&mut self, queue: &QueueName) -> KvResult<Turns> {
        if let Some((turns, _)) = self.turns.get(queue) {
            return Ok(*turns);
        }
        let turns = self.view().turns(queue)?;
        self.turns.insert(queue.clone(), (turns, false));
        Ok(turns)
    }

    fn set_turns(&mut self, queue: &QueueName, turns: Turns) {
        self.turns.insert(queue.clone(), (turns, true));
    }
}

fn counted(before: u64, difference: i64) -> KvResult<u64> {
    let after = before.checked_add_signed(difference);
    after.ok_or_else(|| KvFailure::corrupt("a partition has fewer jobs than there were"))
}
