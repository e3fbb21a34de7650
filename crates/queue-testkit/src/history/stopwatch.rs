//! The monotonic clock of a recorder, comparable between processes of one host.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The monotonic clock of a recorder. It starts at the reading of the wall clock, so that
/// recordings of several processes of one host can be merged, and then counts by itself, so that a
/// step of the wall clock does no harm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch {
    base_ns: u64,
    start: Instant,
}

/// A process that is frozen between the readings of its two clocks has them apart by as much, so
/// the closest pair of several counts.
const READINGS: usize = 8;

impl Stopwatch {
    pub(super) fn start() -> Self {
        let readings = (0..READINGS).map(|_| Self::read());
        let (closest, _) = readings.min_by_key(|(_, apart)| *apart).expect("there are several");
        closest
    }

    /// Reads both clocks, and measures how long that took.
    #[expect(clippy::disallowed_methods, reason = "the one place of a history that asks what time it is")]
    fn read() -> (Self, Duration) {
        let before = Instant::now();
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start = Instant::now();
        (Self { base_ns: nanos(wall), start }, start.duration_since(before))
    }

    pub(super) fn now_ns(&self) -> u64 {
        self.base_ns.saturating_add(nanos(self.start.elapsed()))
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
