use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The monotonic clock of a recorder. It starts at the wall clock's reading, so that the recordings of several processes
/// of one host can be laid over each other, and then counts by itself, so that a wall clock that steps does no harm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch {
    base_ns: u64,
    start: Instant,
}

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "the one place of a history that asks what time it is")]
    pub(super) fn start() -> Self {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { base_ns: nanos(wall), start: Instant::now() }
    }

    pub(super) fn now_ns(&self) -> u64 {
        self.base_ns.saturating_add(nanos(self.start.elapsed()))
    }
}

fn nanos(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
