//! How far apart the looks of a watching thread are.

use std::time::Duration;

/// What a look at the writes of other processes came to, which decides how soon the next look is worth its cost.
///
/// The first look after a quiet time follows its touch at once. Only what comes within the spacing waits for its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Nobody else wrote. A touch comes before the write that it announces can be seen, so the next look follows soon.
    Nothing,
    /// Others wrote, and a subscriber of this process was told. More of it may follow.
    Told,
    /// Others wrote, and nobody in this process listens to what they wrote.
    Unheard,
}

impl Look {
    /// How long to wait before the next look: 250 microseconds, which bounds the processor time that a busy store costs,
    /// and a millisecond where the writes concern nobody here.
    ///
    /// A millisecond is what a job of our own queue may then wait longer. A store that keeps a short record of its last
    /// commits must keep those of a millisecond.
    pub const fn spacing(self) -> Duration {
        match self {
            Self::Nothing | Self::Told => Duration::from_micros(250),
            Self::Unheard => Duration::from_millis(1),
        }
    }
}
