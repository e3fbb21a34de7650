//! Store time: millisecond timestamps, validated spans, clocks, and the rule by which store time
//! never goes back or stands still.

mod clock;
mod clock_bound;
mod manual_clock;
mod moment;
mod span;
mod store_time;
mod timestamp;

pub use clock::{Clock, SystemClock};
pub use clock_bound::{ClockBound, ClockLeap};
pub use manual_clock::ManualClock;
pub use moment::Moment;
pub use span::Span;
pub use store_time::StoreTime;
pub use timestamp::Timestamp;
