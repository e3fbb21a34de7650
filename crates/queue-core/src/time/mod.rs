//! Store time: millisecond timestamps, validated spans, and the clocks that tell them.

mod clock;
mod high_water;
mod manual_clock;
mod span;
mod timestamp;

pub use clock::{Clock, SystemClock};
pub use high_water::HighWater;
pub use manual_clock::ManualClock;
pub use span::Span;
pub use timestamp::Timestamp;
