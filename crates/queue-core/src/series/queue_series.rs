//! What all workers counted of one queue, merged.

use super::{MalformedSeries, SlotCounts, SlotLength, WorkCounts, WorkOutcome};
use crate::{Kind, QueueName, SeriesEntry, WorkerId};
use std::{collections::BTreeMap, ops::Range, time::Duration};

/// What all workers counted of one queue, slot by slot.
///
/// Entries may be added in any order and any number of times: of two entries with one slot and one
/// writer, each number counts once, at its highest. So [`merge`](Self::merge) is commutative,
/// associative and idempotent.
///
/// ```
/// use queue_core::series::{QueueSeries, SlotCounts, SlotLength, WorkOutcome};
/// use queue_core::{Kind, QueueName, SeriesEntry, WorkerId};
///
/// let (mails, welcome) = (QueueName::from_static("mails"), Kind::from_static("welcome"));
/// let mut counts = SlotCounts::default();
/// counts.of_mut(&mails, &welcome).count(WorkOutcome::Completed);
/// let series = SlotLength::Minute.series();
/// let writer = WorkerId::from_static("a");
/// let entry = SeriesEntry { series, slot: 7, writer, bytes: counts.encode().into() };
///
/// let mut merged = QueueSeries::new(mails, SlotLength::Minute);
/// merged.insert(&entry)?;
/// merged.insert(&entry)?;
/// assert_eq!(merged.total(0..10).of(WorkOutcome::Completed), 1);
/// assert_eq!(merged.per_minute(WorkOutcome::Completed, 0..10), 0.1);
/// # Ok::<(), queue_core::series::MalformedSeries>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSeries {
    queue: QueueName,
    length: SlotLength,
    entries: BTreeMap<(i64, WorkerId), BTreeMap<Kind, WorkCounts>>,
}

impl QueueSeries {
    /// A series without entries.
    pub const fn new(queue: QueueName, length: SlotLength) -> Self {
        Self { queue, length, entries: BTreeMap::new() }
    }

    /// The queue.
    pub const fn queue(&self) -> &QueueName {
        &self.queue
    }

    /// How long its slots are.
    pub const fn length(&self) -> SlotLength {
        self.length
    }

    /// Adds what an entry says of this queue. An entry of another series is ignored.
    ///
    /// # Errors
    /// For an entry that cannot be read; nothing of it is added.
    pub fn insert(&mut self, entry: &SeriesEntry) -> Result<(), MalformedSeries> {
        if entry.series != self.length.series() {
            return Ok(());
        }
        let counts = SlotCounts::decode(entry.bytes.clone())?;
        let queue = self.queue.clone();
        for (_, kind, counts) in counts.iter().filter(|(of, _, _)| **of == queue) {
            self.raise(entry.slot, &entry.writer, kind, counts);
        }
        Ok(())
    }

    /// Adds all of another series of this queue and of slots of this length. Any other is ignored.
    pub fn merge(&mut self, other: &Self) {
        if (&other.queue, other.length) != (&self.queue, self.length) {
            return;
        }
        for ((slot, writer), kinds) in &other.entries {
            for (kind, counts) in kinds {
                self.raise(*slot, writer, kind, counts);
            }
        }
    }

    /// Adds to a series of hours what its writers counted by the minute in hours of which they have
    /// no entry: the present one, mostly, and the last one of a worker that was killed. A series of
    /// another queue or another length is ignored.
    pub fn fill_hours(&mut self, minutes: &Self) {
        if (&minutes.queue, minutes.length, self.length)
            != (&self.queue, SlotLength::Minute, SlotLength::Hour)
        {
            return;
        }
        let mut filled: BTreeMap<(i64, WorkerId), BTreeMap<Kind, WorkCounts>> = BTreeMap::new();
        for ((minute, writer), kinds) in &minutes.entries {
            let hour = SlotLength::Hour.slot_at(SlotLength::Minute.starts_at(*minute));
            let key = (hour, writer.clone());
            if !self.entries.contains_key(&key) {
                let sums = filled.entry(key).or_default();
                for (kind, counts) in kinds {
                    sums.entry(kind.clone()).or_default().add(counts);
                }
            }
        }
        self.entries.extend(filled);
    }

    /// Adds what a writer counted of a kind in a slot: each number counts at its highest.
    pub fn raise(&mut self, slot: i64, writer: &WorkerId, kind: &Kind, counts: &WorkCounts) {
        let kinds = self.entries.entry((slot, writer.clone())).or_default();
        kinds.entry(kind.clone()).or_default().raise(counts);
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What was counted in these slots, by kind.
    pub fn kinds(&self, slots: Range<i64>) -> BTreeMap<Kind, WorkCounts> {
        let mut kinds: BTreeMap<Kind, WorkCounts> = BTreeMap::new();
        for (kind, counts) in self.within(&slots).flat_map(|(_, kinds)| kinds) {
            kinds.entry(kind.clone()).or_default().add(counts);
        }
        kinds
    }

    /// What was counted in these slots, over all kinds.
    pub fn total(&self, slots: Range<i64>) -> WorkCounts {
        let mut total = WorkCounts::default();
        self.within(&slots).flat_map(|(_, kinds)| kinds.values()).for_each(|counts| total.add(counts));
        total
    }

    /// What was counted in each slot that has an entry, over all kinds.
    pub fn slots(&self) -> BTreeMap<i64, WorkCounts> {
        let mut slots: BTreeMap<i64, WorkCounts> = BTreeMap::new();
        for ((slot, _), kinds) in &self.entries {
            let total = slots.entry(*slot).or_default();
            for counts in kinds.values() {
                total.add(counts);
            }
        }
        slots
    }

    /// How many attempts ended like this in a minute, on average over these slots; zero for no
    /// slots.
    #[expect(clippy::cast_precision_loss, reason = "a rate is for people")]
    pub fn per_minute(&self, outcome: WorkOutcome, slots: Range<i64>) -> f64 {
        let minutes = self.length.duration().as_secs() / Duration::from_secs(60).as_secs();
        let count = self.total(slots.clone()).of(outcome);
        let slots = slots.end.saturating_sub(slots.start).max(0);
        if slots == 0 { 0.0 } else { count as f64 / (slots as f64 * minutes as f64) }
    }

    fn within(&self, slots: &Range<i64>) -> impl Iterator<Item = (i64, &BTreeMap<Kind, WorkCounts>)> {
        let slots = slots.clone();
        let all = self.entries.iter().map(|((slot, _), kinds)| (*slot, kinds));
        all.filter(move |(slot, _)| slots.contains(slot))
    }
}
