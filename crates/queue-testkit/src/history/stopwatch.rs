//! The monotonic clock of a recorder, comparable between processes of one host.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The monotonic clock of a recorder. It starts at the wall clock's reading, so that the recordings
/// of several processes of one host can be laid over each other, and then counts by itself, so that
/// a wall clock that steps does no harm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch {
    base_ns: u64,
    start: Instant,
}

/// A process that is held up between its two clocks has them apart by as long, so the closest
/// reading counts.
const READINGS: usize = 8;

impl Stopwatch {
    pub(super) fn start() -> Self {
        let readings = (0..READINGS).map(|_| Self::read());
        let (closest, _) = readings.min_by_key(|(_, apart)| *apart).expect("there are several");
        closest
    }

    /// Both clocks, and how long that took.
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
