//! Schedules that fire at a list of single moments.

use crate::ScheduleError;
use jiff::Timestamp as Moment;
use queue_core::Timestamp;

/// Single moments: at least one, in order, without duplicates, and within the years of the
/// calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments(Vec<Timestamp>);

impl Moments {
    /// Makes it of moments in any order; duplicates count once.
    ///
    /// # Errors
    /// [`ScheduleError::NeverFires`] if there is none, [`ScheduleError::Moment`] for one outside
    /// the calendar.
    pub fn new(moments: impl IntoIterator<Item = Timestamp>) -> Result<Self, ScheduleError> {
        let mut moments: Vec<Timestamp> = moments.into_iter().collect();
        moments.sort_unstable();
        moments.dedup();
        if moments.is_empty() {
            return Err(ScheduleError::NeverFires { timing: "a schedule without a moment".to_owned() });
        }
        let is_known = moments.iter().all(|moment| calendar(*moment).is_some());
        if is_known { Ok(Self(moments)) } else { Err(ScheduleError::Moment) }
    }

    /// All moments, the earliest first.
    pub fn as_slice(&self) -> &[Timestamp] {
        &self.0
    }

    pub(crate) fn next(&self, after: Timestamp) -> Option<Timestamp> {
        self.0.get(self.0.partition_point(|moment| *moment <= after)).copied()
    }
}

/// `None` beyond the years of the calendar.
pub(crate) fn calendar(moment: Timestamp) -> Option<Moment> {
    Moment::from_millisecond(moment.as_millis()).ok()
}
