//! The clock that the processes of a run share.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The monotonic time of this machine, which is the same in each of its processes.
pub(crate) fn shared_clock() -> Duration {
    clock_gettime(ClockId::Monotonic).try_into().expect("a monotonic clock starts at zero")
}
