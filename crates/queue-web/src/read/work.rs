//! What workers counted, for the charts.

use crate::{problem::Result, visit::Visit};
use queue_core::{
    Detail, QueueName, Timestamp,
    series::{SlotLength, WorkCounts},
};
use queue_view::{SeriesReading, WorkReading};
use std::{ops::Range, sync::Arc, time::Duration};

/// The most pages of a series that are read: 8,192 entries, which are 90 days of hours of three
/// workers at any time, or a day of hours of three hundred.
const PAGES_MAX: usize = 32;
/// How old an answer may be.
const AGE: Duration = Duration::from_secs(3);

/// A stretch of time up to now, as a chart shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The word in addresses.
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) slot: SlotLength,
    /// How many slots it has.
    pub(crate) slots: u32,
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
        slots: u32,
        step: usize,
        column: &'static str,
    ) -> Self {
        Self { name, label, slot, slots, step, column }
    }

    /// The stretch of this name; the shortest for any other.
    pub(crate) fn named(name: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|stretch| Some(stretch.name) == name).unwrap_or(Self::ALL[0])
    }
    fn length(self) -> Duration {
        self.slot.duration() * self.slots
    }
}

/// What workers counted of all queues, as the charts of a page show it.
#[derive(Debug)]
pub(crate) struct ChartedWork {
    pub(crate) stretch: Stretch,
    pub(crate) reading: WorkReading,
}

impl Visit {
    /// What workers counted; `None` if the store keeps no series.
    pub(crate) async fn work(&self, stretch: Stretch) -> Result<Option<Arc<ChartedWork>>> {
        if !self.storage().capabilities().series {
            return Ok(None);
        }
        let storage = self.storage().clone();
        let read = async move {
            let anywhere = QueueName::from_static(queue::operations::OPERATIONS_QUEUE);
            // A read of no job returns the time of the store.
            let now = storage.get(&anywhere, &[], Detail::Meta).await?.now;
            let reading =
                WorkReading::read(&*storage, now, stretch.slot, stretch.length(), PAGES_MAX).await?;
            Ok(ChartedWork { stretch, reading })
        };
        self.app.snapshots.get(self.key("work", stretch.name), AGE, read).await.map(Some)
    }
}

impl ChartedWork {
    /// The slots of the whole stretch, the present one included.
    pub(crate) fn slots(&self) -> Range<i64> {
        let end = self.reading.slots.end;
        end - i64::from(self.stretch.slots)..end
    }

    /// The columns of a chart of a queue, the oldest first, each with when it begins.
    pub(crate) fn columns(&self, queue: &SeriesReading) -> Vec<(Timestamp, WorkCounts)> {
        queue.columns(self.slots(), self.stretch.step)
    }
}
