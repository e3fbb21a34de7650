//! A clock in a file, which the processes of the test share and move forward.

use queue::{Clock, Timestamp};
use std::{fs::File, os::unix::fs::FileExt, path::Path, time::Duration};

/// A clock that several processes read from a file, and that stands still until one of them moves
/// it.
#[derive(Debug)]
pub(crate) struct SharedClock {
    file: File,
    started: Timestamp,
}

/// 2026-03-08, an hour before New York puts its clocks forward.
const START_MS: i64 = 1_772_949_600_000;

impl SharedClock {
    pub(crate) fn create(place: &Path) -> Self {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path(place));
        let clock = Self { file: file.expect("a file"), started: Timestamp::from_millis(START_MS) };
        clock.set(START_MS);
        clock
    }

    pub(crate) fn open(place: &Path) -> Self {
        let file = File::options().read(true).write(true).open(path(place)).expect("the test made it");
        let mut clock = Self { file, started: Timestamp::from_millis(START_MS) };
        clock.started = clock.now();
        clock
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.set(self.now().as_millis() + i64::try_from(by.as_millis()).expect("short"));
    }

    fn set(&self, millis: i64) {
        self.file.write_all_at(&millis.to_le_bytes(), 0).expect("eight bytes are written");
    }
}

impl Clock for SharedClock {
    fn now(&self) -> Timestamp {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, 0).expect("eight bytes are there");
        Timestamp::from_millis(i64::from_le_bytes(bytes))
    }

    fn ticks(&self) -> Duration {
        self.now().since(self.started)
    }
}

fn path(place: &Path) -> std::path::PathBuf {
    place.join("clock")
}
