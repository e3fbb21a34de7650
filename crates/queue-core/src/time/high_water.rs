use crate::Timestamp;

/// The highest time a store has ever seen: readings pass through it, so that store time never goes back.
///
/// Persistent stores write the mark in the same step as whatever was decided by it, and start from it, so that no stored
/// time is ever ahead of the clock (I24). A time that was only told by a read need not survive a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HighWater(Timestamp);

impl HighWater {
    /// Starts from a persisted mark.
    pub const fn new(mark: Timestamp) -> Self {
        Self(mark)
    }

    /// Raises the mark to `reading` if that is later, and answers the mark.
    pub fn advance(&mut self, reading: Timestamp) -> Timestamp {
        self.0 = self.0.max(reading);
        self.0
    }

    /// The mark.
    pub const fn mark(self) -> Timestamp {
        self.0
    }
}
