//! The last hour of one queue, as workers counted it.

use super::source::HourEntries;
use crate::{commands::queues::series, output::Chart};
use queue::{
    QueueSeries, SlotLength, WorkCounts, WorkOutcome,
    queue_core::{QueueName, Timestamp},
};
use std::ops::Range;

/// Minutes of a column of the chart, of which twelve stand in the line of a queue.
const CHART_STEP: usize = 5;

#[derive(Debug)]
pub(super) struct QueueHour {
    now: Timestamp,
    pub(super) series: QueueSeries,
}

impl QueueHour {
    /// Entries that cannot be read are left out.
    pub(super) fn of(hour: &HourEntries, queue: &QueueName) -> Self {
        let mut series = QueueSeries::new(queue.clone(), SlotLength::Minute);
        for entry in &hour.entries {
            drop(series.insert(entry));
        }
        Self { now: hour.now, series }
    }

    /// The last so many minutes that are complete.
    pub(super) fn last(&self, minutes: u32) -> Range<i64> {
        let end = SlotLength::Minute.first_unwritten(self.now);
        end.saturating_sub(minutes.into())..end
    }

    pub(super) fn total(&self) -> WorkCounts {
        self.series.total(self.last(60))
    }

    /// Completed attempts a minute, lately.
    pub(super) fn rate(&self) -> String {
        format!("{:.1}", self.series.per_minute(WorkOutcome::Completed, self.last(series::LATELY)))
    }

    /// Completed attempts over the hour, as columns of a few minutes.
    pub(super) fn chart(&self) -> String {
        let steps = series::steps(&self.series, self.last(60), CHART_STEP);
        let numbers: Vec<u64> = steps.iter().map(|step| step.of(WorkOutcome::Completed)).collect();
        Chart::Columns.drawn(&numbers)
    }
}
