//! Reads what workers counted: of all queues of a store, and of one.

use queue_core::{
    QueueName, Result, SeriesEntry, SeriesQuery, Storage, Timestamp,
    series::{QueueSeries, SlotCounts, SlotLength, WorkCounts, WorkOutcome},
};
use std::{collections::BTreeMap, ops::Range, time::Duration};

/// How far back a reading of hours also looks at minutes: workers write an hour when it is over.
const HOURS_FILLED: i64 = 2;

/// What all workers counted of all queues in a stretch of time up to now.
///
/// ```
/// use queue_core::{QueueName, Storage, Timestamp, series::{SlotLength, WorkOutcome}};
/// use queue_view::WorkReading;
/// use std::time::Duration;
///
/// async fn done_a_minute(store: &dyn Storage, now: Timestamp) -> queue_core::Result<f64> {
///     let hour = Duration::from_secs(3600);
///     let work = WorkReading::read(store, now, SlotLength::Minute, hour, 8).await?;
///     let mail = work.of_queue(&QueueName::from_static("mail"));
///     Ok(mail.per_minute(WorkOutcome::Completed, 60))
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkReading {
    /// The store's time.
    pub now: Timestamp,
    /// How long a slot is.
    pub length: SlotLength,
    /// The slots that were read. The last one is the present one, which workers that still run have
    /// not written.
    pub slots: Range<i64>,
    /// There were more entries than were to be read.
    pub is_cut: bool,
    entries: Vec<SeriesEntry>,
    /// The minutes of the last hours, in a reading of hours.
    minutes: Vec<SeriesEntry>,
}

/// What all workers counted of one queue in a stretch of time up to now.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SeriesReading {
    /// The numbers, slot by slot.
    pub series: QueueSeries,
    /// The slots that were read. The last of them is the present one, which workers that still run
    /// have not written.
    pub slots: Range<i64>,
    /// The store's time.
    pub now: Timestamp,
    /// How many entries could not be read, of any queue: they are of a newer version, or of
    /// something else that writes to the same series.
    pub unreadable: usize,
}

impl WorkReading {
    /// Reads so many pages at most, of [`SeriesQuery::LIMIT_MAX`] entries each, of the time `back`
    /// before `now`, the store's time. The slots that workers may not have written yet are read
    /// beside, so that the stretch has as many complete slots as it is long.
    ///
    /// A reading of hours takes the present one and the last one from their minutes.
    ///
    /// # Errors
    /// `Unsupported` if the store keeps no series, and any error of a read.
    pub async fn read(
        storage: &dyn Storage,
        now: Timestamp,
        length: SlotLength,
        back: Duration,
        pages_max: usize,
    ) -> Result<Self> {
        let whole = back.as_millis().div_ceil(length.duration().as_millis());
        let whole = i64::try_from(whole).unwrap_or(i64::MAX);
        let slots = length.first_unwritten(now).saturating_sub(whole)..length.slot_at(now) + 1;
        let (entries, is_cut) = entries(storage, length, slots.clone(), pages_max).await?;
        let mut reading = Self { now, length, slots, is_cut, entries, minutes: Vec::new() };
        if length == SlotLength::Hour {
            let first = reading.slots.start.max(reading.slots.end - HOURS_FILLED);
            let minute = |hour| SlotLength::Minute.slot_at(SlotLength::Hour.starts_at(hour));
            let minutes = minute(first)..minute(reading.slots.end);
            let (minutes, is_cut) = self::entries(storage, SlotLength::Minute, minutes, pages_max).await?;
            reading.minutes = minutes;
            reading.is_cut |= is_cut;
        }
        Ok(reading)
    }

    /// What was counted of one queue.
    pub fn of_queue(&self, queue: &QueueName) -> SeriesReading {
        let (mut found, unreadable) = self.each_series(&|name| name == queue);
        let series = found.remove(queue).unwrap_or_else(|| QueueSeries::new(queue.clone(), self.length));
        self.reading(series, unreadable)
    }

    /// What was counted of each of these queues of which anything was. Each entry is read once,
    /// however many queues there are.
    pub fn of_queues(&self, is_wanted: impl Fn(&QueueName) -> bool) -> BTreeMap<QueueName, SeriesReading> {
        let (found, unreadable) = self.each_series(&is_wanted);
        found.into_iter().map(|(queue, series)| (queue, self.reading(series, unreadable))).collect()
    }

    fn reading(&self, series: QueueSeries, unreadable: usize) -> SeriesReading {
        SeriesReading { series, slots: self.slots.clone(), now: self.now, unreadable }
    }

    /// The series of each queue that is wanted, and how many entries could not be read.
    fn each_series(
        &self,
        is_wanted: &impl Fn(&QueueName) -> bool,
    ) -> (BTreeMap<QueueName, QueueSeries>, usize) {
        let (mut found, unreadable) = each_series(self.length, &self.entries, is_wanted);
        let (minutes, more) = each_series(SlotLength::Minute, &self.minutes, is_wanted);
        for (queue, minutes) in minutes {
            let new = || QueueSeries::new(queue, self.length);
            found.entry(minutes.queue().clone()).or_insert_with(new).fill_hours(&minutes);
        }
        (found, unreadable + more)
    }
}

impl SeriesReading {
    /// How many minutes the rates cover that say how it goes now.
    pub const LATELY: u32 = 5;

    /// The last so many slots of those that were read whose numbers are complete: they are over,
    /// and workers have had the time to write them.
    pub fn last(&self, slots: u32) -> Range<i64> {
        let end = self.series.length().first_unwritten(self.now).clamp(self.slots.start, self.slots.end);
        end.saturating_sub(slots.into()).max(self.slots.start)..end
    }

    /// The columns of a chart of these slots, so many slots in each, the oldest first: when it
    /// begins, and what was counted in it. Slots without jobs have zeros.
    ///
    /// # Panics
    /// If `step` is 0.
    pub fn columns(&self, slots: Range<i64>, step: usize) -> Vec<(Timestamp, WorkCounts)> {
        let found = self.series.slots();
        let slots: Vec<i64> = slots.collect();
        let column = |slots: &[i64]| {
            let mut sum = WorkCounts::default();
            for counts in slots.iter().filter_map(|slot| found.get(slot)) {
                sum.add(counts);
            }
            (self.series.length().starts_at(slots[0]), sum)
        };
        slots.chunks(step).map(column).collect()
    }

    /// What was counted in the last sixty complete slots, over all kinds.
    pub fn last_hour(&self) -> WorkCounts {
        self.series.total(self.last(60))
    }

    /// How many attempts ended like this in a minute, on average over the last so many complete
    /// slots.
    pub fn per_minute(&self, outcome: WorkOutcome, slots: u32) -> f64 {
        self.series.per_minute(outcome, self.last(slots))
    }
}

/// The entries of these slots, as many as may be read, and whether there are more.
async fn entries(
    storage: &dyn Storage,
    length: SlotLength,
    slots: Range<i64>,
    pages_max: usize,
) -> Result<(Vec<SeriesEntry>, bool)> {
    let mut found = Vec::new();
    let mut next = Some(SeriesQuery::new(length.series(), slots, SeriesQuery::LIMIT_MAX));
    for _ in 0..pages_max {
        let Some(query) = next else { break };
        let page = storage.read_series(query).await?.value;
        found.extend(page.entries);
        next = page.next;
    }
    Ok((found, next.is_some()))
}

/// The series of each queue that is wanted, and how many entries could not be read.
fn each_series(
    length: SlotLength,
    entries: &[SeriesEntry],
    is_wanted: &impl Fn(&QueueName) -> bool,
) -> (BTreeMap<QueueName, QueueSeries>, usize) {
    let (mut found, mut unreadable): (BTreeMap<QueueName, QueueSeries>, usize) = (BTreeMap::new(), 0);
    for entry in entries.iter().filter(|entry| entry.series == length.series()) {
        let Ok(counts) = SlotCounts::decode(entry.bytes.clone()) else {
            unreadable += 1;
            continue;
        };
        for (queue, kind, counts) in counts.iter().filter(|(queue, ..)| is_wanted(queue)) {
            let new = || QueueSeries::new(queue.clone(), length);
            found.entry(queue.clone()).or_insert_with(new).raise(entry.slot, &entry.writer, kind, counts);
        }
    }
    (found, unreadable)
}

#[cfg(test)]
mod tests {
    use super::WorkReading;
    use queue_core::{
        Kind, QueueName, SeriesEntry, Timestamp, WorkerId,
        series::{SlotCounts, SlotLength, WorkOutcome},
    };

    /// A reading of several queues counted them nowhere.
    #[test]
    fn entries_that_cannot_be_read_are_counted_whether_one_queue_is_read_or_several() {
        let (mail, none) = (QueueName::from_static("mail"), QueueName::from_static("none"));
        let mut counts = SlotCounts::default();
        counts.of_mut(&mail, &Kind::from_static("k")).count(WorkOutcome::Completed);
        let entry = |slot, bytes: Vec<u8>| SeriesEntry {
            series: SlotLength::Hour.series(),
            slot,
            writer: WorkerId::from_static("w"),
            bytes: bytes.into(),
        };
        let minute =
            |bytes: Vec<u8>| SeriesEntry { series: SlotLength::Minute.series(), ..entry(120, bytes) };
        let reading = WorkReading {
            now: Timestamp::default(),
            length: SlotLength::Hour,
            slots: 0..3,
            is_cut: false,
            entries: vec![entry(1, counts.encode()), entry(1, b"\xff".to_vec())],
            minutes: vec![minute(counts.encode()), minute(b"\xff".to_vec())],
        };
        let several = reading.of_queues(|_| true);
        assert_eq!(several.keys().collect::<Vec<_>>(), [&mail]);
        for found in [&several[&mail], &reading.of_queue(&mail)] {
            assert_eq!((found.series.total(0..3).of(WorkOutcome::Completed), found.unreadable), (2, 2));
        }
        let found = reading.of_queue(&none);
        assert!(found.series.is_empty() && found.unreadable == 2);
    }
}
