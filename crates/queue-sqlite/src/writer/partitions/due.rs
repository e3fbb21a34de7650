//! The ways to the due jobs in a queue with partitions: jobs whose time has come, and jobs of kinds
//! that were resumed.

use super::super::{GATED_SLOT, SCHEDULED_SLOT, session::SqliteSession, waiting::PROMOTE_MAX};
use crate::row::{integer, partition_of};
use queue_core::{Kind, Partition};
use queue_store::KindPauses;
use rusqlite::{Row, params};

/// Where a due job stands in its partition: priority, `run_at` and seq.
pub(in super::super) type DuePlace = (i16, i64, i64);
/// A job by its partition and its place there.
type DueJob = (Option<Partition>, DuePlace);

fn read_due(row: &Row<'_>) -> rusqlite::Result<DueJob> {
    Ok((partition_of(row, 3, 4)?, (row.get(0)?, row.get(1)?, row.get(2)?)))
}

impl SqliteSession<'_> {
    /// Moves scheduled jobs that are due to their partitions, a bounded number in one claim, and as
    /// many whose gate has timed out.
    pub(super) fn promote_in_turn(&mut self, queue: i64, has_gated: bool) -> rusqlite::Result<()> {
        let bounds = params![queue, self.moment.now.as_millis(), integer(PROMOTE_MAX as u64)];
        let due = self.statements.due_scheduled.get()?.query_map(bounds, read_due)?;
        let due = due.collect::<rusqlite::Result<Vec<_>>>()?;
        let moved = self.move_due(queue, due)?;
        if moved > 0 {
            self.statements.delete_promoted.execute(params![queue, moved])?;
            self.counters.add(queue, SCHEDULED_SLOT, -moved);
        }
        if !has_gated {
            return Ok(());
        }
        let due = self.statements.due_gated.get()?.query_map(bounds, read_due)?;
        let due = due.collect::<rusqlite::Result<Vec<_>>>()?;
        let moved = self.move_due(queue, due)?;
        if moved > 0 {
            self.statements.delete_timed_out.execute(params![queue, moved])?;
            self.counters.add(queue, GATED_SLOT, -moved);
        }
        Ok(())
    }

    fn move_due(&mut self, queue: i64, due: Vec<DueJob>) -> rusqlite::Result<i64> {
        let moved = integer(due.len() as u64);
        for (partition, place) in due {
            self.insert_due(queue, partition.as_ref(), place)?;
        }
        Ok(moved)
    }

    /// Brings jobs back that were set aside for kinds that are not paused any more, as many as
    /// there is room for. False if there are more.
    pub(super) fn bring_back_in_turn(
        &mut self,
        queue: i64,
        kinds: &KindPauses,
        room: &mut usize,
    ) -> rusqlite::Result<bool> {
        let resumed: Vec<&Kind> =
            kinds.pauses.iter().filter(|(_, pause)| !pause.is_on()).map(|(kind, _)| kind).collect();
        for kind in resumed {
            let line = params![queue, kind.as_str(), integer(*room as u64 + 1)];
            let back = self.statements.aside_jobs.get()?.query_map(line, read_due)?;
            let mut back = back.collect::<rusqlite::Result<Vec<_>>>()?;
            let has_more = back.len() > *room;
            back.truncate(*room);
            *room -= back.len();
            for (partition, place) in back {
                self.insert_due(queue, partition.as_ref(), place)?;
                self.leave_aside(queue, place.0, place.1, place.2)?;
            }
            if has_more {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
