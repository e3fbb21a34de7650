use crate::Timestamp;

/// The highest time a store has ever seen: readings pass through it, so that store time never goes back.
///
/// Persistent stores keep the mark with their data and start from it, so that it survives a reopen (I24).
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
