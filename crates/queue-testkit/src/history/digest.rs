//! Digests: short names for payloads, results and tokens, so that a history is small and holds no
//! secrets.

use queue_core::{LeaseToken, Payload};

/// The 64-bit FNV-1a hash of Fowler, Noll and Vo.
fn fnv(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().copied().flatten();
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

/// The digest of a payload or a result, for events that no [`Recorded`](super::Recorded) store
/// records.
pub fn of_payload(payload: &Payload) -> u64 {
    fnv(&[&payload.bytes, b"\0", payload.content_type.as_str().as_bytes()])
}

pub(super) fn of_token(token: &LeaseToken) -> u64 {
    fnv(&[token.as_bytes()])
}
