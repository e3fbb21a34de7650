use queue_core::Rng;

/// A random number that a segment has in its head and repeats in each of its records. So bytes of a payload are never
/// taken for a record, whatever they look like: who made them could not know it. The idea is that of SQLite's
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
