//! When a schedule fires: by a cron pattern, after equal intervals, or at single moments.

use crate::{CronPattern, Moments, ScheduleError, Zone, civil, due::minus, moments::calendar};
use queue_core::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// When a schedule fires. The moments are moments of the calendar, in whole milliseconds of UTC,
/// independent of any store's time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredTiming", into = "StoredTiming")]
#[non_exhaustive]
pub enum Timing {
    /// At the times that a pattern names in a zone.
    Cron {
        /// The times.
        pattern: CronPattern,
        /// The zone.
        zone: Zone,
    },
    /// At equal intervals: at `from`, and whole periods after it.
    Every {
        /// The time from one tick to the next.
        period: Span,
        /// The first tick. The default is the Unix epoch, so that "each hour" means the full hour
        /// in every program.
        from: Timestamp,
    },
    /// At single moments.
    At(Moments),
}

impl Timing {
    /// Fires at the times that a pattern names in a zone; see [`CronPattern`] for its form.
    ///
    /// # Errors
    /// The errors of [`CronPattern::new`] and [`Zone::new`].
    pub fn cron(pattern: &str, zone: &str) -> Result<Self, ScheduleError> {
        Ok(Self::Cron { pattern: CronPattern::new(pattern)?, zone: Zone::new(zone)? })
    }

    /// Fires at equal intervals, counted from the Unix epoch.
    ///
    /// # Errors
    /// [`ScheduleError::Period`] for a period that is zero, longer than a hundred years, or not a
    /// whole number of milliseconds.
    pub fn every(period: Duration) -> Result<Self, ScheduleError> {
        let refused = |_| ScheduleError::Period { period };
        if !period.subsec_nanos().is_multiple_of(1_000_000) {
            return Err(ScheduleError::Period { period });
        }
        let span = Span::positive("period", period).map_err(refused)?;
        Ok(Self::Every { period: span, from: Timestamp::default() })
    }

    /// Fires at single moments, given in any order.
    ///
    /// # Errors
    /// [`ScheduleError::NeverFires`] if there is none, [`ScheduleError::Moment`] for one outside
    /// the calendar.
    pub fn at(moments: impl IntoIterator<Item = Timestamp>) -> Result<Self, ScheduleError> {
        Moments::new(moments).map(Self::At)
    }

    /// The first tick after a moment; `None` if there is none.
    pub fn next(&self, after: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Cron { pattern, zone } => {
                // Fractions of a second are cut off: a pattern has none.
                civil::next(pattern, zone, calendar(after)?)
                    .map(|moment| Timestamp::from_millis(moment.as_millisecond()))
            }
            Self::Every { from, .. } if after < *from => Some(*from),
            Self::Every { period, from } => {
                let (period, from) = (period.as_millis(), from.as_millis());
                let passed = after.as_millis().checked_sub(from)?.checked_div(period)?;
                from.checked_add(passed.checked_add(1)?.checked_mul(period)?).map(Timestamp::from_millis)
            }
            Self::At(moments) => moments.next(after),
        }
    }

    /// Whether there is a tick at exactly this moment.
    pub fn is_tick(&self, moment: Timestamp) -> bool {
        self.next(minus(moment, 1)) == Some(moment)
    }

    /// Whether new rules of a time zone may move the ticks: so it is with a pattern in any zone but
    /// one that has a fixed offset, such as `UTC`.
    pub fn follows_a_zone(&self) -> bool {
        matches!(self, Self::Cron { zone, .. } if zone.rules().to_fixed_offset().is_err())
    }

    /// The ticks after a moment, in order.
    pub fn after(&self, after: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        std::iter::successors(self.next(after), |tick| self.next(*tick))
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cron { pattern, zone } => write!(f, "{pattern} in {}", zone.name()),
            Self::Every { period, .. } => write!(f, "every {:?}", period.as_duration()),
            Self::At(moments) => write!(f, "a schedule of {} moments", moments.as_slice().len()),
        }
    }
}

/// The stored form: `{"cron":"0 2 * * *","zone":"Europe/Berlin"}`,
/// `{"every_ms":60000,"from_ms":0}`, `{"at_ms":[..]}`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum StoredTiming {
    Cron { cron: String, zone: String },
    Every { every_ms: u64, from_ms: i64 },
    At { at_ms: Vec<i64> },
}

impl From<Timing> for StoredTiming {
    fn from(timing: Timing) -> Self {
        match timing {
            Timing::Cron { pattern, zone } => {
                Self::Cron { cron: pattern.as_str().to_owned(), zone: zone.name().to_owned() }
            }
            Timing::Every { period, from } => {
                Self::Every { every_ms: period.as_millis().unsigned_abs(), from_ms: from.as_millis() }
            }
            Timing::At(moments) => {
                Self::At { at_ms: moments.as_slice().iter().map(|moment| moment.as_millis()).collect() }
            }
        }
    }
}

impl TryFrom<StoredTiming> for Timing {
    type Error = ScheduleError;

    fn try_from(stored: StoredTiming) -> Result<Self, ScheduleError> {
        match stored {
            StoredTiming::Cron { cron, zone } => {
                Ok(Self::Cron { pattern: CronPattern::stored(&cron)?, zone: Zone::new(&zone)? })
            }
            StoredTiming::Every { every_ms, from_ms } => {
                match Self::every(Duration::from_millis(every_ms))? {
                    Self::Every { period, .. } => {
                        Ok(Self::Every { period, from: Timestamp::from_millis(from_ms) })
                    }
                    other => Ok(other),
                }
            }
            StoredTiming::At { at_ms } => Self::at(at_ms.into_iter().map(Timestamp::from_millis)),
        }
    }
}
