//! Reads of the database at one moment, for the reading threads and the writing one.

mod partitions;

use crate::{
    KvEntry, KvRead,
    failure::{KvFailure, KvResult},
    keys::{self, Family, Key},
    values::{self, QueueMarks},
};
use bytes::Bytes;
use queue_core::{
    Attempt, Counts, EndSignal, Headers, JobBody, JobId, JobMeta, Kind, Moment, Pause, Payload, QueueName,
    Seq, Signalling, State, Timestamp,
};
use queue_store::stored::{self, Form, StoredJob};
use std::ops::Range;

/// The slot of jobs that wait for their time; the lower slots are the states.
pub(crate) const SCHEDULED_SLOT: u8 = 6;
/// The slot of jobs behind closed gates.
pub(crate) const GATED_SLOT: u8 = 7;
/// The entries that one step of a walk reads.
pub(crate) const STEP: usize = 500;

const _: () = assert!(State::ALL.len() == SCHEDULED_SLOT as usize, "every state needs a slot before it");

/// Reads at one moment.
#[derive(Clone, Copy)]
pub(crate) struct View<'t> {
    kv: &'t dyn KvRead,
    pub(crate) moment: Moment,
}

/// The highest time at which a write was decided.
pub(crate) fn mark(kv: &dyn KvRead) -> KvResult<Timestamp> {
    let mark = kv.get(&keys::global(Family::Mark))?;
    mark.map_or(Ok(Timestamp::from_millis(i64::MIN)), |bytes| values::read_time(&bytes))
}

impl<'t> View<'t> {
    pub(crate) fn new(kv: &'t dyn KvRead, moment: Moment) -> Self {
        Self { kv, moment }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.moment.now
    }

    pub(crate) fn get(&self, key: &[u8]) -> KvResult<Option<Vec<u8>>> {
        Ok(self.kv.get(key)?)
    }

    pub(crate) fn scan(&self, range: &Range<Key>, limit: usize) -> KvResult<Vec<KvEntry>> {
        if range.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        Ok(self.kv.scan(&range.start[..]..&range.end[..], limit)?)
    }

    /// Every entry of a range, in steps.
    pub(crate) fn each(
        &self,
        mut range: Range<Key>,
        mut see: impl FnMut(KvEntry) -> KvResult<()>,
    ) -> KvResult<()> {
        loop {
            let entries = self.scan(&range, STEP)?;
            let is_last = entries.len() < STEP;
            if let Some((last, _)) = entries.last() {
                range.start = keys::after(last);
            }
            entries.into_iter().try_for_each(&mut see)?;
            if is_last {
                return Ok(());
            }
        }
    }

    pub(crate) fn number(&self, key: &[u8]) -> KvResult<Option<u64>> {
        self.get(key)?.map(|bytes| values::read_number(&bytes)).transpose()
    }

    /// The life that holds an id, even if it is past its purge time.
    pub(crate) fn find(&self, queue: &QueueName, id: &JobId) -> KvResult<Option<StoredJob>> {
        let Some(seq) = self.number(&keys::id(queue, id))? else { return Ok(None) };
        let found = self.life(queue, Seq::new(seq))?;
        found.ok_or_else(|| KvFailure::corrupt("an id leads to no record")).map(Some)
    }

    /// The life that holds an id, unless it is past its purge time.
    pub(crate) fn present(&self, queue: &QueueName, id: &JobId) -> KvResult<Option<JobMeta>> {
        let found = self.find(queue, id)?.map(|found| found.job.meta);
        Ok(found.filter(|meta| !meta.is_purged(self.now())))
    }

    /// One life, even if it is past its purge time.
    pub(crate) fn life(&self, queue: &QueueName, seq: Seq) -> KvResult<Option<StoredJob>> {
        self.part(Family::Job, queue, seq)
    }

    /// The large parts of an existing life.
    pub(crate) fn body(&self, meta: &JobMeta) -> KvResult<JobBody> {
        let (queue, seq) = (&meta.queue, meta.seq);
        let payload: Option<Payload> = self.part(Family::Payload, queue, seq)?;
        Ok(JobBody {
            payload: payload.ok_or_else(|| KvFailure::corrupt("a record has no payload"))?,
            headers: self.part(Family::Headers, queue, seq)?.unwrap_or(Headers::NONE),
            result: self.part(Family::Result, queue, seq)?,
            error_details: self.get(&keys::life(Family::Details, queue, seq))?.map(Bytes::from),
            end_signals: self.end_signals(meta)?,
        })
    }

    /// What a job sends at its end, or has sent.
    pub(crate) fn end_signals(&self, meta: &JobMeta) -> KvResult<Vec<EndSignal>> {
        if meta.signalling == Signalling::None {
            return Ok(Vec::new());
        }
        Ok(self.part(Family::EndSignals, &meta.queue, meta.seq)?.unwrap_or_default())
    }

    /// The charged attempts of a life.
    pub(crate) fn attempts(&self, queue: &QueueName, seq: Seq) -> KvResult<Vec<Attempt>> {
        Ok(self.part(Family::Attempts, queue, seq)?.unwrap_or_default())
    }

    /// A part of a life that has a stored form.
    pub(crate) fn part<T: Form>(&self, family: Family, queue: &QueueName, seq: Seq) -> KvResult<Option<T>> {
        let bytes = self.get(&keys::life(family, queue, seq))?;
        Ok(bytes.map(stored::from_bytes).transpose()?)
    }

    /// The pause of a queue, off if it is over, and its marks.
    pub(crate) fn pauses(&self, queue: &QueueName) -> KvResult<(Pause, QueueMarks)> {
        let bytes = self.get(&keys::of_queue_alone(Family::Paused, queue))?;
        let (pause, marks) = bytes.map(|bytes| values::read_pauses(&bytes)).transpose()?.unwrap_or_default();
        Ok((pause.at(self.now()), marks))
    }

    /// The kinds that are paused or have jobs set aside, with what is left of their pauses.
    pub(crate) fn kinds(&self, queue: &QueueName) -> KvResult<Vec<(Kind, Pause)>> {
        let mut kinds = Vec::new();
        for (key, until) in self.scan(&keys::all(Family::KindPause, queue), STEP)? {
            let kind = std::str::from_utf8(keys::kind_of(queue, &key)).ok();
            let kind = kind.and_then(|text| Kind::new(text).ok());
            let kind = kind.ok_or_else(|| KvFailure::corrupt("a pause is of no kind"))?;
            let pause = Pause::from_millis(values::read_time(&until)?.as_millis());
            kinds.push((kind, pause.at(self.now())));
        }
        Ok(kinds)
    }

    /// The time of the first entry of a time index.
    pub(crate) fn first_time(&self, family: Family, queue: &QueueName) -> KvResult<Option<Timestamp>> {
        let first = self.scan(&keys::all(family, queue), 1)?;
        Ok(first.first().map(|(key, _)| keys::time_of(key)))
    }

    /// Reads the counters, and corrects them by the jobs that came due or timed out since a claim
    /// last moved them; looks up the oldest due job too.
    pub(crate) fn counts(&self, queue: &QueueName) -> KvResult<Counts> {
        let mut counts = Counts::empty(self.moment);
        for (key, value) in self.scan(&keys::all(Family::Count, queue), STEP)? {
            let jobs = values::read_number(&value)?;
            match keys::slot_of(&key) {
                SCHEDULED_SLOT => counts.scheduled = jobs,
                GATED_SLOT => counts.gated = jobs,
                slot => {
                    let state = State::from_code(slot);
                    counts.set(state.ok_or_else(|| KvFailure::corrupt("no state has such a slot"))?, jobs);
                }
            }
        }
        counts.scheduled = counts.scheduled.saturating_sub(self.came_due(Family::Scheduled, queue)?);
        counts.oldest_due = self.oldest_due(queue, counts.gated > 0)?;
        if counts.gated > 0 {
            counts.gated = counts.gated.saturating_sub(self.came_due(Family::Gated, queue)?);
        }
        Ok(counts)
    }

    /// How many jobs of an index of waiting ones are due by now.
    fn came_due(&self, family: Family, queue: &QueueName) -> KvResult<u64> {
        let mut came_due = 0;
        self.each(keys::until(family, queue, self.now()), |_| {
            came_due += 1;
            Ok(())
        })?;
        Ok(came_due)
    }

    fn oldest_due(&self, queue: &QueueName, has_gated: bool) -> KvResult<Option<Timestamp>> {
        let gated = if has_gated { self.first_time(Family::Gated, queue)? } else { None };
        let waiting = self.first_time(Family::Scheduled, queue)?.into_iter().chain(gated);
        let mut oldest = waiting.filter(|at| *at <= self.now()).min();
        let mut lines = vec![keys::all(Family::Ready, queue)];
        let (_, marks) = self.pauses(queue)?;
        if marks.kinds {
            lines.extend(self.kinds(queue)?.iter().map(|(kind, _)| keys::aside(queue, kind)));
        }
        lines.extend(marks.partitions.then(|| keys::all(Family::PartitionDue, queue)));
        for line in lines {
            oldest = oldest.into_iter().chain(self.oldest_of(line)?).min();
        }
        Ok(oldest)
    }

    /// The earliest time in a range in claim order: the first of each priority in turn.
    pub(crate) fn oldest_of(&self, mut line: Range<Key>) -> KvResult<Option<Timestamp>> {
        let mut oldest = None;
        while let Some((first, _)) = self.scan(&line, 1)?.pop() {
            oldest = oldest.into_iter().chain([keys::time_of(&first)]).min();
            line.start = keys::next_priority(first);
        }
        Ok(oldest)
    }
}
