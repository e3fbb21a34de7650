//! Reading the counts of a queue.

use super::{
    Snapshot,
    first_of_each::{oldest as oldest_of, read_place},
};
use crate::{
    row::{counter, foreign},
    sql,
    writer::{GATED_SLOT, SCHEDULED_SLOT},
};
use queue_core::{Counts, Kind, QueueName, State, Timestamp};
use rusqlite::{OptionalExtension, params};

impl Snapshot<'_> {
    /// Reads the counters, and looks at the few jobs that changed their place by the clock alone.
    pub(crate) fn counts(&self, queue: &QueueName) -> rusqlite::Result<Counts> {
        match self.find_queue(queue)? {
            Some(queue) => self.counts_of(queue),
            None => Ok(Counts::empty(self.moment)),
        }
    }

    /// The same by the number of the queue.
    pub(super) fn counts_of(&self, queue: i64) -> rusqlite::Result<Counts> {
        let mut counts = Counts::empty(self.moment);
        let mut statement = self.connection.prepare_cached(sql::LOAD_COUNTS)?;
        let mut rows = statement.query([queue])?;
        let mut oldest_gated = None;
        while let Some(row) = rows.next()? {
            let slot = row.get(0)?;
            let jobs = counter(1, row.get(1)?)?;
            if slot == SCHEDULED_SLOT {
                counts.scheduled = jobs.saturating_sub(self.due_scheduled(queue)?);
            } else if slot == GATED_SLOT && jobs > 0 {
                counts.gated = jobs.saturating_sub(self.timed_out(queue)?);
                oldest_gated = self.first_gated(queue)?;
            } else if slot != GATED_SLOT {
                counts.set(State::from_code(slot).ok_or_else(|| foreign(0, "no such slot"))?, jobs);
            }
        }
        counts.oldest_due = self.oldest_due(queue, oldest_gated)?;
        Ok(counts)
    }

    /// Due by now, though no claim has come to move them.
    fn due_scheduled(&self, queue: i64) -> rusqlite::Result<u64> {
        let mut statement = self.connection.prepare_cached(sql::COUNT_DUE_SCHEDULED)?;
        counter(0, statement.query_row(params![queue, self.moment.now.as_millis()], |row| row.get(0))?)
    }

    /// The first of each priority in turn, and the first scheduled and the first gated one if they
    /// are due by now.
    fn oldest_due(&self, queue: i64, gated: Option<i64>) -> rusqlite::Result<Option<Timestamp>> {
        let scheduled = self.first_scheduled(queue)?;
        let came_due = scheduled.into_iter().chain(gated).filter(|at| *at <= self.moment.now.as_millis());
        let mut oldest = came_due.min();
        for (kind, _) in self.kinds(queue)? {
            let aside = self.oldest_aside(queue, &kind)?;
            oldest = [oldest, aside].into_iter().flatten().min();
        }
        let mut ready = self.connection.prepare_cached(sql::FIRST_READY)?;
        let ready = oldest_of(|behind| ready.query_row(params![queue, behind], read_place).optional())?;
        let in_turn = self.oldest_of_partitions(queue)?;
        Ok([oldest, ready, in_turn].into_iter().flatten().min().map(Timestamp::from_millis))
    }

    /// The `run_at` of the oldest job of a kind that was set aside.
    fn oldest_aside(&self, queue: i64, kind: &Kind) -> rusqlite::Result<Option<i64>> {
        let mut first = self.connection.prepare_cached(sql::FIRST_ASIDE)?;
        oldest_of(|behind| first.query_row(params![queue, kind.as_str(), behind], read_place).optional())
    }

    /// The `run_at` of the first scheduled job.
    pub(super) fn first_scheduled(&self, queue: i64) -> rusqlite::Result<Option<i64>> {
        let mut first = self.connection.prepare_cached(sql::FIRST_SCHEDULED)?;
        first.query_row([queue], |row| row.get(0)).optional()
    }
}
