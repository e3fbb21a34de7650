//! The ways to the due jobs of a queue and of its partitions.

use super::super::transaction::Transaction;
use crate::{failure::KvResult, keys, values};
use queue_core::{Kind, Partition, QueueName};
use queue_store::KindPauses;

impl Transaction<'_> {
    /// A due job takes its place, in its partition if it has one.
    pub(in super::super) fn insert_due(
        &mut self,
        queue: &QueueName,
        partition: Option<&Partition>,
        place: &[u8],
        payload_bytes: &[u8],
    ) -> KvResult<()> {
        if let Some(partition) = partition {
            self.put(&keys::partition_due(queue, place), &[])?;
            self.partitions.moves(queue, partition);
        }
        self.put(&keys::due(queue, partition, place), payload_bytes)
    }

    /// Takes a due job out, if it stands among the due ones.
    pub(in super::super) fn delete_due(
        &mut self,
        queue: &QueueName,
        partition: Option<&Partition>,
        place: &[u8],
    ) -> KvResult<()> {
        if let Some(partition) = partition {
            self.delete(&keys::partition_due(queue, place))?;
            self.partitions.moves(queue, partition);
        }
        self.delete(&keys::due(queue, partition, place))
    }

    /// Brings jobs back that were set aside for kinds that are not paused any more, as many as
    /// there is room for. False if there are more.
    pub(super) fn bring_back_in_turn(
        &mut self,
        queue: &QueueName,
        kinds: &KindPauses,
        room: &mut usize,
    ) -> KvResult<bool> {
        let resumed: Vec<&Kind> =
            kinds.pauses.iter().filter(|(_, pause)| !pause.is_on()).map(|(kind, _)| kind).collect();
        for kind in resumed {
            for (entry, value) in self.view().scan(&keys::aside(queue, kind), *room + 1)? {
                let Some(fewer) = room.checked_sub(1) else { return Ok(false) };
                *room = fewer;
                let (payload_bytes, partition) = values::read_aside(&value)?;
                self.insert_due(queue, partition.as_ref(), keys::place_of(&entry), payload_bytes)?;
                self.delete(&entry)?;
            }
        }
        Ok(true)
    }
}
