//! Reads what workers counted of a queue.

use crate::Queue;
use queue_core::{
    Detail, QueueName, Result, SeriesQuery, Span, Storage, Timestamp,
    series::{QueueSeries, SlotLength, WorkCounts, WorkOutcome},
};
use std::{ops::Range, time::Duration};

/// How far back a reading of hours also looks at minutes, in hours.
const HOURS_FILLED: i64 = 2;

/// What all workers counted of a queue in a stretch of time; from [`Queue::series`].
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
    /// How many entries could not be read: they are of a newer version, or of something else that
    /// writes to the same series.
    pub unreadable: usize,
}

impl SeriesReading {
    /// The last so many slots of those that were read whose numbers are complete: they are over,
    /// and workers have had the time to write them.
    pub fn last(&self, slots: u32) -> Range<i64> {
        let end = self.series.length().first_unwritten(self.now).clamp(self.slots.start, self.slots.end);
        end.saturating_sub(slots.into()).max(self.slots.start)..end
    }

    /// The numbers of each of these slots, one after the other; slots without jobs have zeros.
    pub fn chart(&self, slots: Range<i64>) -> Vec<WorkCounts> {
        let mut found = self.series.slots();
        slots.map(|slot| found.remove(&slot).unwrap_or_default()).collect()
    }

    /// How many attempts ended like this in a minute, on average over the last so many complete
    /// slots.
    pub fn per_minute(&self, outcome: WorkOutcome, slots: u32) -> f64 {
        self.series.per_minute(outcome, self.last(slots))
    }
}

impl<P, R> Queue<P, R> {
    /// What all workers counted of this queue in the time `back` from now: outcomes, and histograms
    /// of wait and run times, by the minute (kept for 3 days) or by the hour (kept for 90 days).
    ///
    /// Workers write a minute when it is over, and an hour too; a reading of hours takes the
    /// present one and the last one from their minutes.
    ///
    #[cfg_attr(all(feature = "memory", feature = "json", feature = "worker"), doc = "```")]
    #[cfg_attr(not(all(feature = "memory", feature = "json", feature = "worker")), doc = "```ignore")]
    /// use queue::{SlotLength, WorkOutcome, prelude::*};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
    /// let emails: Queue<String> = Queue::new(open("memory:").await?, "emails")?;
    /// emails.enqueue("welcome-ada", "ada@example.org".to_owned()).await?;
    /// emails.work_with(|_, _| async { Ok(()) }).until_idle().build()?.run().await;
    ///
    /// let hour = emails.series(Duration::from_secs(3600), SlotLength::Minute).await?;
    /// let counts = hour.series.total(hour.slots);
    /// assert_eq!(counts.of(WorkOutcome::Completed), 1);
    /// println!("half of them waited for less than {:?}", counts.wait().percentile(50));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `Unsupported` if the store keeps no series; see its capabilities.
    pub async fn series(&self, back: Duration, length: SlotLength) -> Result<SeriesReading> {
        let (storage, name) = (&*self.shared.storage, &self.shared.name);
        let now = storage.get(name, &[], Detail::Meta).await?.now;
        let begin = Timestamp::from_millis(now.as_millis() - Span::at_most(back).as_millis());
        let slots = length.slot_at(begin)..length.slot_at(now) + 1;
        let (mut series, mut unreadable) = read(storage, name, length, slots.clone()).await?;
        if length == SlotLength::Hour {
            let first = slots.start.max(slots.end - HOURS_FILLED);
            let minute_of = |hour| SlotLength::Minute.slot_at(SlotLength::Hour.starts_at(hour));
            let minutes = minute_of(first)..minute_of(slots.end);
            let (minutes, more) = read(storage, name, SlotLength::Minute, minutes).await?;
            series.fill_hours(&minutes);
            unreadable += more;
        }
        Ok(SeriesReading { series, slots, now, unreadable })
    }
}

/// All pages of these slots, and how many entries could not be read.
async fn read(
    storage: &dyn Storage,
    queue: &QueueName,
    length: SlotLength,
    slots: Range<i64>,
) -> Result<(QueueSeries, usize)> {
    let mut series = QueueSeries::new(queue.clone(), length);
    let mut unreadable = 0;
    let mut next = Some(SeriesQuery::new(length.series(), slots, SeriesQuery::LIMIT_MAX));
    while let Some(query) = next {
        let page = storage.read_series(query).await?.value;
        unreadable += page.entries.iter().filter(|entry| series.insert(entry).is_err()).count();
        next = page.next;
    }
    Ok((series, unreadable))
}
