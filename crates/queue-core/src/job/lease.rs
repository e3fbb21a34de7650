//! The token that proves a lease, and the public part of a lease.

use crate::{Rng, Timestamp, WorkerId};
use std::fmt;

/// Proof of holding a lease: 128 random bits, fresh for each claim call and never reused.
///
/// Only a claim returns the token, no read shows it, and `Debug` hides it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LeaseToken([u8; 16]);

impl LeaseToken {
    /// Draws a fresh token.
    pub fn random(rng: &dyn Rng) -> Self {
        Self(rng.next_u128().to_be_bytes())
    }

    /// The token that a store wrote as these bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes for a store to write.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for LeaseToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LeaseToken(..)")
    }
}

/// The public part of a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseInfo {
    /// The worker that holds the lease.
    pub worker: WorkerId,
    /// When the lease lapses unless it is extended. A lease is lapsed if `expires_at <= now`.
    pub expires_at: Timestamp,
}
