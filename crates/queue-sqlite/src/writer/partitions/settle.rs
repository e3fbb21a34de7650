//! Writing what a transaction changed of partitions.

use super::{super::session::SqliteSession, due::DuePlace};
use crate::sql;
use queue_core::{Partition, QueueName};
use rusqlite::params;
use std::collections::BTreeSet;

impl SqliteSession<'_> {
    /// Writes the partitions that the transaction has changed so far, with their fronts. A queue
    /// without any costs one look at an empty map.
    pub(in super::super) fn settle_partitions(&mut self) -> rusqlite::Result<()> {
        let (mut changed, mut opened) = (BTreeSet::new(), BTreeSet::new());
        while let Some(((queue, partition), change)) = self.partitions.pop() {
            if !change.is_any() {
                continue;
            }
            let mut lane = self.load_lane(queue, &partition)?;
            let former = lane.place;
            lane.count(change);
            let opening = lane.opening(self.next_priority(queue, Some(&partition))?);
            if former.map(|place| place.opening) != opening {
                let fronts = self.load_fronts(queue)?;
                lane.place = self.placed(queue, &fronts, former, opening, &lane.limit)?;
            }
            if self.save_lane(queue, &partition, &lane)? {
                changed.insert(queue);
            }
            if change.opens(former, lane.place) {
                opened.insert(queue);
            }
        }
        changed.iter().try_for_each(|queue| self.mark_partitions(*queue))?;
        opened.iter().try_for_each(|queue| self.wake_opened(*queue))
    }

    /// Writes down whether a queue has partitions or limits.
    pub(super) fn mark_partitions(&mut self, queue: i64) -> rusqlite::Result<()> {
        if self.statements.save_has_partitions.execute([queue])? > 0 {
            self.statements.delete_turn.execute([queue])?;
        }
        Ok(())
    }

    /// The end of a lease has opened a full partition with a due job. No job came to wait, so
    /// nothing else wakes claims.
    fn wake_opened(&mut self, queue: i64) -> rusqlite::Result<()> {
        self.counters.wake(queue);
        let name: String = self.rarely(sql::QUEUE_NAME)?.query_row([queue], |row| row.get(0))?;
        if let Ok(name) = QueueName::new(name) {
            self.notices.wake(&name);
        }
        Ok(())
    }

    /// A due job takes its place, in its partition if it has one.
    pub(in super::super) fn insert_due(
        &mut self,
        queue: i64,
        partition: Option<&Partition>,
        (priority, run_at, seq): DuePlace,
    ) -> rusqlite::Result<()> {
        let Some(partition) = partition else {
            return self.statements.insert_ready.execute(params![queue, priority, run_at, seq]).map(drop);
        };
        self.partitions.moves(&queue, partition);
        let entry = params![queue, partition.as_str(), priority, run_at, seq];
        self.statements.insert_partition_ready.execute(entry).map(drop)
    }

    /// Takes a due job out. False if it does not stand among the due ones.
    pub(in super::super) fn delete_due(
        &mut self,
        queue: i64,
        partition: Option<&Partition>,
        (priority, run_at, seq): DuePlace,
    ) -> rusqlite::Result<bool> {
        let Some(partition) = partition else {
            return Ok(self.statements.delete_ready.execute(params![queue, priority, run_at, seq])? > 0);
        };
        let entry = params![queue, partition.as_str(), priority, run_at, seq];
        let was_due = self.statements.delete_partition_ready.execute(entry)? > 0;
        if was_due {
            self.partitions.moves(&queue, partition);
        }
        Ok(was_due)
    }
}
