//! Pauses of kinds, and the jobs that claims set aside for them (ADR 0054).

use super::transaction::Transaction;
use crate::{
    failure::{KvFailure, KvResult},
    keys::{self, Family},
    values::{self, QueueMarks},
};
use queue_core::{Kind, Pause, PausedKind, QueueName, Timestamp};
use queue_store::KindPauses;
use std::collections::BTreeMap;

impl Transaction<'_> {
    /// Stops or resumes the claims of a kind; an error for one that is one too many.
    pub(super) fn set_kind_paused(
        &mut self,
        queue: &QueueName,
        kind: &Kind,
        pause: Pause,
    ) -> KvResult<Result<(), queue_core::Error>> {
        let mut kinds = self.kind_pauses(queue)?;
        let others = kinds.pauses.keys().filter(|other| *other != kind).count();
        if let Err(refused) = if pause.is_on() { PausedKind::check_room(others) } else { Ok(()) } {
            return Ok(Err(refused));
        }
        kinds.pauses.insert(kind.clone(), pause);
        let number = Timestamp::from_millis(pause.as_millis());
        self.put(&keys::kind_pause(queue, kind), &values::time(number))?;
        self.forget_kinds(queue, &mut kinds.pauses).map(Ok)
    }

    /// The pauses of the kinds of a queue. Forgets those that are over and have no job set aside.
    pub(super) fn kind_pauses(&mut self, queue: &QueueName) -> KvResult<KindPauses> {
        let mut pauses: BTreeMap<_, _> = self.view().kinds(queue)?.into_iter().collect();
        self.forget_kinds(queue, &mut pauses)?;
        Ok(KindPauses { pauses, set_aside: 0 })
    }

    fn forget_kinds(&mut self, queue: &QueueName, pauses: &mut BTreeMap<Kind, Pause>) -> KvResult<()> {
        let over: Vec<_> =
            pauses.iter().filter(|(_, pause)| !pause.is_on()).map(|(kind, _)| kind.clone()).collect();
        for kind in over {
            if self.view().scan(&keys::aside(queue, &kind), 1)?.is_empty() {
                self.delete(&keys::kind_pause(queue, &kind))?;
                pauses.remove(&kind);
            }
        }
        self.mark(queue, |marks| QueueMarks { kinds: !pauses.is_empty(), ..marks })
    }

    /// Changes the marks of a queue; writes only where that changes anything.
    pub(super) fn mark(
        &mut self,
        queue: &QueueName,
        change: impl Fn(QueueMarks) -> QueueMarks,
    ) -> KvResult<()> {
        let before = self.marks(queue)?;
        if change(before) == before {
            return Ok(());
        }
        let (pause, _) = self.view().pauses(queue)?;
        self.write_pauses(queue, pause, change(before))
    }

    /// Writes the pause of a queue, and its marks.
    pub(super) fn write_pauses(
        &mut self,
        queue: &QueueName,
        pause: Pause,
        marks: QueueMarks,
    ) -> KvResult<()> {
        self.marks.insert(queue.clone(), marks);
        let key = keys::of_queue_alone(Family::Paused, queue);
        if pause.is_on() || marks != QueueMarks::default() {
            self.put(&key, &values::pauses(pause, marks))
        } else {
            self.delete(&key)
        }
    }

    /// The marks of a queue, read once in a transaction.
    pub(super) fn marks(&mut self, queue: &QueueName) -> KvResult<QueueMarks> {
        if let Some(marks) = self.marks.get(queue) {
            return Ok(*marks);
        }
        let (_, marks) = self.view().pauses(queue)?;
        self.marks.insert(queue.clone(), marks);
        Ok(marks)
    }

    /// Prepares the front of the ready jobs for a claim of so many: brings back what was set aside
    /// for kinds that are not paused any more, as far as the claim may want it, and sets aside what
    /// is of paused kinds, a bounded number. Answers how many jobs at the front are then to be
    /// claimed.
    pub(super) fn clear_front(
        &mut self,
        queue: &QueueName,
        wanted: usize,
        kinds: &mut KindPauses,
    ) -> KvResult<usize> {
        for kind in kinds.pauses.iter().filter(|(_, pause)| !pause.is_on()).map(|(kind, _)| kind) {
            for (entry, payload_bytes) in self.view().scan(&keys::aside(queue, kind), wanted)? {
                self.put(&keys::ready_of_aside(queue, &entry), &payload_bytes)?;
                self.delete(&entry)?;
            }
        }
        let mut open = 0;
        let looks = wanted + PausedKind::SET_ASIDE_MAX;
        for (entry, payload_bytes) in self.view().scan(&keys::all(Family::Ready, queue), looks)? {
            if open == wanted {
                break;
            }
            let found = self.view().life(queue, keys::seq_of(&entry))?;
            let kind = found.ok_or_else(|| KvFailure::corrupt("an index entry has no record"))?.job.meta.kind;
            if !kinds.stops(&kind) {
                open += 1;
            } else if kinds.set_aside < PausedKind::SET_ASIDE_MAX {
                self.put(&keys::aside_of_ready(queue, &kind, &entry), &payload_bytes)?;
                self.delete(&entry)?;
                kinds.set_aside += 1;
            } else {
                break;
            }
        }
        Ok(open)
    }

    /// The earliest moment at which a claim could get a job that was set aside.
    pub(super) fn aside_due(&self, queue: &QueueName, kinds: &KindPauses) -> KvResult<Option<Timestamp>> {
        let mut earliest = None;
        for (kind, pause) in kinds.pauses.iter().filter(|(_, pause)| **pause != Pause::UntilResumed) {
            let first = self.view().scan(&keys::aside(queue, kind), 1)?.pop();
            let due = first.map(|(entry, _)| pause.until().unwrap_or(keys::time_of(&entry)));
            earliest = [earliest, due].into_iter().flatten().min();
        }
        Ok(earliest)
    }
}
