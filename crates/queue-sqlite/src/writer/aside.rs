//! Pauses of kinds, and the jobs that claims set aside for them (ADR 0054).

use super::session::SqliteSession;
use crate::{row::name, sql};
use queue_core::{Kind, Pause, PausedKind, Timestamp};
use queue_store::KindPauses;
use rusqlite::{OptionalExtension, Row, params};
use std::collections::BTreeMap;

impl SqliteSession<'_> {
    /// Stops or resumes the claims of a kind; an error for one that is one too many.
    pub(super) fn set_kind_paused(
        &mut self,
        queue: i64,
        kind: &Kind,
        pause: Pause,
    ) -> rusqlite::Result<Result<(), queue_core::Error>> {
        let pause = pause.at(self.moment.now);
        let others = self.kinds(queue)?.into_keys().filter(|other| other != kind).count();
        if let Err(refused) = if pause.is_on() { PausedKind::check_room(others) } else { Ok(()) } {
            return Ok(Err(refused));
        }
        self.rarely(sql::SAVE_KIND)?.execute(params![queue, kind.as_str(), pause.as_millis()])?;
        self.forget_kinds(queue).map(Ok)
    }

    /// The pauses of a queue that has had some, for a claim.
    pub(super) fn kind_pauses(&mut self, queue: i64) -> rusqlite::Result<KindPauses> {
        self.forget_kinds(queue)?;
        Ok(KindPauses { pauses: self.kinds(queue)?, set_aside: 0 })
    }

    /// Prepares the front of the ready jobs for a claim of so many: brings back what was set aside
    /// for kinds that are not paused any more, as far as the claim may want it, and sets aside what
    /// is of paused kinds, a bounded number. Answers how many jobs at the front are then to be
    /// claimed.
    pub(super) fn clear_front(
        &mut self,
        queue: i64,
        wanted: usize,
        kinds: &mut KindPauses,
    ) -> rusqlite::Result<usize> {
        for kind in kinds.pauses.iter().filter(|(_, pause)| !pause.is_on()).map(|(kind, _)| kind) {
            self.bring_back(queue, kind, wanted)?;
        }
        let (mut open, mut aside) = (0, Vec::new());
        let mut front = self.rarely(sql::READY_KINDS)?;
        let mut rows = front.query([queue])?;
        while open < wanted {
            let Some(row) = rows.next()? else { break };
            let kind = name::<Kind>(row, 3)?;
            if !kinds.stops(&kind) {
                open += 1;
            } else if aside.len() < PausedKind::SET_ASIDE_MAX {
                aside.push((kind, place(row)?));
            } else {
                break;
            }
        }
        drop(rows);
        drop(front);
        kinds.set_aside = aside.len();
        for (kind, (priority, run_at, seq)) in aside {
            let entry = params![queue, kind.as_str(), priority, run_at, seq];
            self.rarely(sql::INSERT_ASIDE)?.execute(entry)?;
            self.statements.delete_ready.execute(params![queue, priority, run_at, seq])?;
        }
        Ok(open)
    }

    fn bring_back(&mut self, queue: i64, kind: &Kind, wanted: usize) -> rusqlite::Result<()> {
        let first = {
            let mut line = self.rarely(sql::ASIDE_FRONT)?;
            let rows =
                line.query_map(params![queue, kind.as_str(), crate::row::integer(wanted as u64)], place)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()?
        };
        for (priority, run_at, seq) in first {
            self.statements.insert_ready.execute(params![queue, priority, run_at, seq])?;
            self.rarely(sql::DELETE_ASIDE)?.execute(params![queue, priority, run_at, seq])?;
        }
        Ok(())
    }

    /// Removes a job from those that were set aside, if it is there.
    pub(super) fn leave_aside(
        &mut self,
        queue: i64,
        priority: i16,
        run_at: i64,
        seq: i64,
    ) -> rusqlite::Result<()> {
        self.rarely(sql::DELETE_ASIDE)?.execute(params![queue, priority, run_at, seq]).map(drop)
    }

    /// The earliest moment at which a claim could get a job that was set aside.
    pub(super) fn aside_due(
        &mut self,
        queue: i64,
        kinds: &KindPauses,
    ) -> rusqlite::Result<Option<Timestamp>> {
        let mut earliest = None;
        for (kind, pause) in &kinds.pauses {
            let mut line = self.rarely(sql::ASIDE_FRONT)?;
            let first = line.query_row(params![queue, kind.as_str(), 1], place).optional()?;
            let due = first.map(|(_, run_at, _)| Timestamp::from_millis(run_at));
            let due = due.filter(|_| *pause != Pause::UntilResumed).map(|due| pause.until().unwrap_or(due));
            earliest = [earliest, due].into_iter().flatten().min();
        }
        Ok(earliest)
    }

    fn kinds(&self, queue: i64) -> rusqlite::Result<BTreeMap<Kind, Pause>> {
        let now = self.moment.now;
        let mut statement = self.rarely(sql::LOAD_KINDS)?;
        let rows = statement
            .query_map([queue], |row| Ok((name::<Kind>(row, 0)?, Pause::from_millis(row.get(1)?).at(now))))?;
        rows.collect()
    }

    /// Forgets kinds whose pauses are over and of which nothing is set aside, and writes down
    /// whether there are others.
    fn forget_kinds(&self, queue: i64) -> rusqlite::Result<()> {
        self.rarely(sql::FORGET_KINDS)?.execute(params![queue, self.moment.now.as_millis()])?;
        self.rarely(sql::SAVE_HAS_KINDS)?.execute([queue]).map(drop)
    }
}

/// Priority, due time and life.
fn place(row: &Row<'_>) -> rusqlite::Result<(i16, i64, i64)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
}
