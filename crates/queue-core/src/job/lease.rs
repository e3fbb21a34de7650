use crate::{Rng, Timestamp, WorkerId};
use std::fmt;

/// Proof of holding a lease: 128 random bits, fresh for each claim call and never reused.
///
/// It is given out by claim alone, no read shows it, and `Debug` hides it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LeaseToken([u8; 16]);

impl LeaseToken {
    /// Draws a fresh token.
    pub fn random(rng: &dyn Rng) -> Self {
        Self(rng.next_u128().to_be_bytes())
    }

    /// As a store wrote it.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// For a store to write.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for LeaseToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LeaseToken(..)")
    }
}

/// What everybody may know about a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseInfo {
    /// Who holds it.
    pub worker: WorkerId,
    /// When it lapses unless extended: lapsed means `expires_at <= now`.
    pub expires_at: Timestamp,
}
