//! A clock in a file, which both processes of the example read and the main one moves forward.

use queue::{Clock, Timestamp};
use std::{fs, io, path::Path, path::PathBuf, time::Duration};

/// A clock that several processes read from a file, and that stands still until one of them moves
/// it. Where the store is in the process of the test, `queue::ManualClock` is the clock for this.
#[derive(Debug)]
pub(crate) struct FileClock {
    file: PathBuf,
}

/// 2026-11-23 22:00 in UTC, in milliseconds.
const EVENING: i64 = 1_795_471_200_000;

impl FileClock {
    /// A clock for a place that has none. It shows an evening.
    pub(crate) fn create(place: &Path) -> io::Result<Self> {
        let clock = Self::open(place);
        clock.set(EVENING)?;
        Ok(clock)
    }

    /// The clock of a place.
    pub(crate) fn open(place: &Path) -> Self {
        Self { file: place.join("clock") }
    }

    /// Lets time pass for all readers of this clock.
    pub(crate) fn advance(&self, by: Duration) -> io::Result<()> {
        let by = i64::try_from(by.as_millis()).map_err(io::Error::other)?;
        self.set(self.now().as_millis() + by)
    }

    /// A reader sees the old time or the new one, and no half of a number.
    fn set(&self, millis: i64) -> io::Result<()> {
        let next = self.file.with_extension("next");
        fs::write(&next, millis.to_string())?;
        fs::rename(next, &self.file)
    }
}

impl Clock for FileClock {
    fn now(&self) -> Timestamp {
        let text =
            fs::read_to_string(&self.file).expect("the clock of a place is there as long as the place");
        Timestamp::from_millis(text.parse().expect("nobody else writes this file"))
    }

    fn ticks(&self) -> Duration {
        self.now().since(Timestamp::from_millis(EVENING))
    }
}
