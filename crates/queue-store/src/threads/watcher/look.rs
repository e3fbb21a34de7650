//! How far apart the looks of a watching thread are.

use std::time::Duration;

/// What a look at the writes of other processes came to, which decides how soon the next look is
/// worth its cost.
///
/// The first look after a quiet time follows its touch at once. Only what comes within the spacing
/// waits for its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// No other handle wrote. A touch comes before the write that it announces can be seen, so the
    /// next look follows soon.
    NothingNew,
    /// Others wrote, and a subscriber of this process got a hint. More of it may follow.
    Notified,
    /// Others wrote, and no subscriber of this process listens to what they wrote.
    NoSubscriber,
}

impl Look {
    /// How long to wait before the next look: 250 microseconds, which bounds the processor time
    /// that a busy store costs, and a millisecond where the writes concern no subscriber here.
    ///
    /// A millisecond is the most that a job of our own queue waits longer beside such a store.
    /// Going to sleep and waking up is most of what a look costs, so this cuts the cost to
    /// about a third.
    pub const fn spacing(self) -> Duration {
        match self {
            Self::NothingNew | Self::Notified => Duration::from_micros(250),
            Self::NoSubscriber => Duration::from_millis(1),
        }
    }
}
