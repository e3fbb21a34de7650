//! The moment that a scheduled job was made for, and the placeholder for it in a payload.

use jiff::Timestamp as Moment;
use queue_core::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{
    fmt,
    time::{Duration, SystemTime},
};

/// The moment that a job of a schedule was made for, as a part of its payload. The schedule's
/// payload contains [`Tick::HERE`] in its place, and each job gets its own tick, however late it
/// runs.
///
/// ```
/// use queue_schedule::Tick;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Report {
///     day: Tick,
/// }
///
/// let of_a_schedule = serde_json::to_string(&Report { day: Tick::HERE })?;
/// let of_a_job: Report = serde_json::from_str(r#"{"day":"2026-11-21T22:30:00Z"}"#)?;
/// assert_eq!(of_a_job.day.to_string(), "2026-11-21T22:30:00Z");
/// # let _ = of_a_schedule;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(Option<Timestamp>);

/// The placeholder in a stored payload.
pub(crate) const PLACE: &str = "$queue.tick";

impl Tick {
    /// The placeholder for the tick of each job. It exists in JSON alone: the payload of a schedule
    /// in another format cannot contain it.
    pub const HERE: Self = Self(None);

    /// The tick of a moment; fractions of a millisecond are cut off.
    pub fn at(at: SystemTime) -> Self {
        let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self(Some(Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))))
    }

    /// A moment whose text is as long as that of any.
    pub(crate) fn longest() -> Timestamp {
        Timestamp::from_millis(Moment::MIN.as_millisecond() + 1)
    }

    /// The moment; the Unix epoch if this is [`HERE`](Self::HERE).
    pub fn time(self) -> SystemTime {
        let millis = self.0.unwrap_or_default().as_millis();
        SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or_default())
    }
}

impl From<Timestamp> for Tick {
    fn from(moment: Timestamp) -> Self {
        Self(Some(moment))
    }
}

/// Formats the tick in UTC, as RFC 3339 does; ids of ticks end with it.
impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(at) = self.0 else { return f.write_str(PLACE) };
        match Moment::from_millisecond(at.as_millis()) {
            Ok(moment) => moment.fmt(f),
            Err(_) => write!(f, "{}ms", at.as_millis()),
        }
    }
}

impl Serialize for Tick {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Tick {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == PLACE {
            return Ok(Self::HERE);
        }
        let moment: Moment = text.parse().map_err(de::Error::custom)?;
        Ok(Self(Some(Timestamp::from_millis(moment.as_millisecond()))))
    }
}
