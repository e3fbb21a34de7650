//! The salt by which records of a segment differ from bytes of a payload.

use queue_core::Rng;

/// A random number that a segment has in its head and repeats in each of its records. A payload
/// cannot pass for a record, since its author cannot know the salt. The idea is that of SQLite's
/// write-ahead log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Salt(u64);

impl Salt {
    pub(crate) fn random(rng: &dyn Rng) -> Self {
        Self(rng.next_u64())
    }

    pub(super) const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    pub(super) const fn as_raw(self) -> u64 {
        self.0
    }
}
