//! What workers counted, for the charts.

use crate::{problem::Result, visit::Visit};
use queue_core::{
    Detail, QueueName, SeriesEntry, SeriesQuery, Storage, Timestamp,
    series::{QueueSeries, SlotLength, WorkCounts},
};
use std::{ops::Range, sync::Arc, time::Duration};

/// The most pages of a series that are read: 8,192 entries, which are 90 days of hours of three
/// workers at any time, or a day of hours of three hundred.
const PAGES_MAX: usize = 32;
/// How old an answer may be.
const AGE: Duration = Duration::from_secs(3);
/// The slots of the unfinished hours, which workers have written as minutes alone.
const MINUTES_FILLED: i64 = 120;

/// A stretch of time up to now, as a chart shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The word in addresses.
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) slot: SlotLength,
    /// How many slots it has.
    pub(crate) slots: i64,
    /// How many slots a column of a chart stands for.
    pub(crate) step: usize,
    /// How long a column is, in words.
    pub(crate) column: &'static str,
}

impl Stretch {
    pub(crate) const ALL: [Self; 5] = [
        Self::of("1h", "1 hour", SlotLength::Minute, 60, 1, "1 minute"),
        Self::of("24h", "24 hours", SlotLength::Hour, 24, 1, "1 hour"),
        Self::of("7d", "7 days", SlotLength::Hour, 7 * 24, 3, "3 hours"),
        Self::of("30d", "30 days", SlotLength::Hour, 30 * 24, 12, "12 hours"),
        Self::of("90d", "90 days", SlotLength::Hour, 90 * 24, 24, "1 day"),
    ];

    const fn of(
        name: &'static str,
        label: &'static str,
        slot: SlotLength,
        slots: i64,
        step: usize,
        column: &'static str,
    ) -> Self {
        Self { name, label, slot, slots, step, column }
    }

    /// The stretch of this name; the shortest for any other.
    pub(crate) fn named(name: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|stretch| Some(stretch.name) == name).unwrap_or(Self::ALL[0])
    }
}

/// What workers counted in a stretch of time, of all queues.
#[derive(Debug)]
pub(crate) struct WorkReading {
    pub(crate) stretch: Stretch,
    pub(crate) now: Timestamp,
    slots: Range<i64>,
    entries: Vec<SeriesEntry>,
    minutes: Vec<SeriesEntry>,
    /// There was more than is read for a page.
    pub(crate) is_cut: bool,
}

impl Visit {
    /// What workers counted; `None` if the store keeps no series.
    pub(crate) async fn work(&self, stretch: Stretch) -> Result<Option<Arc<WorkReading>>> {
        if !self.storage().capabilities().series {
            return Ok(None);
        }
        let storage = self.storage().clone();
        let read = async move { WorkReading::read(&*storage, stretch).await };
        self.app.snapshots.get(self.key("work", stretch.name), AGE, read).await.map(Some)
    }
}

impl WorkReading {
    async fn read(storage: &dyn Storage, stretch: Stretch) -> Result<Self> {
        let anywhere = QueueName::from_static(queue::operations::OPERATIONS_QUEUE);
        // A read of no job returns the time of the store.
        let now = storage.get(&anywhere, &[], Detail::Meta).await?.now;
        let end = stretch.slot.slot_at(now) + 1;
        let slots = end - stretch.slots..end;
        let (entries, is_cut) = entries(storage, stretch.slot, slots.clone(), PAGES_MAX).await?;
        let minutes = if stretch.slot == SlotLength::Hour {
            let last = SlotLength::Minute.slot_at(now) + 1;
            entries_of_minutes(storage, last).await?
        } else {
            Vec::new()
        };
        Ok(Self { stretch, now, slots, entries, minutes, is_cut })
    }

    /// The series of one queue.
    pub(crate) fn of_queue(&self, queue: &QueueName) -> QueueSeries {
        let mut series = series(queue, self.stretch.slot, &self.entries);
        if !self.minutes.is_empty() {
            series.fill_hours(&self::series(queue, SlotLength::Minute, &self.minutes));
        }
        series
    }

    /// The slots of the whole stretch.
    pub(crate) fn slots(&self) -> Range<i64> {
        self.slots.clone()
    }

    /// The columns of a chart, the oldest first, each with when it begins.
    pub(crate) fn columns(&self, series: &QueueSeries) -> Vec<(Timestamp, WorkCounts)> {
        let mut found = series.slots();
        let slots: Vec<i64> = self.slots().collect();
        let column = |slots: &[i64]| {
            let mut sum = WorkCounts::default();
            for counts in slots.iter().filter_map(|slot| found.remove(slot)) {
                sum.add(&counts);
            }
            (self.stretch.slot.starts_at(slots[0]), sum)
        };
        slots.chunks(self.stretch.step).map(column).collect()
    }
}

async fn entries_of_minutes(storage: &dyn Storage, end: i64) -> Result<Vec<SeriesEntry>> {
    let slots = end - MINUTES_FILLED..end;
    Ok(entries(storage, SlotLength::Minute, slots, PAGES_MAX / 2).await?.0)
}

/// The entries of these slots, as many as may be read, and whether there are more.
async fn entries(
    storage: &dyn Storage,
    slot: SlotLength,
    slots: Range<i64>,
    pages_max: usize,
) -> Result<(Vec<SeriesEntry>, bool)> {
    let mut found = Vec::new();
    let mut next = Some(SeriesQuery::new(slot.series(), slots, SeriesQuery::LIMIT_MAX));
    for _ in 0..pages_max {
        let Some(query) = next else { break };
        let page = storage.read_series(query).await?.value;
        found.extend(page.entries);
        next = page.next;
    }
    Ok((found, next.is_some()))
}

/// Entries that cannot be read are left out.
fn series(queue: &QueueName, slot: SlotLength, entries: &[SeriesEntry]) -> QueueSeries {
    let mut series = QueueSeries::new(queue.clone(), slot);
    for entry in entries {
        drop(series.insert(entry));
    }
    series
}
