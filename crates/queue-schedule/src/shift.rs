//! Delays that every process computes alike: a schedule's spread, and the jitter of one tick.

use queue_core::{Span, Timestamp};

/// The delay of a schedule within its spread.
pub(crate) fn spread(name: &str, within: Span) -> Span {
    part(hash(name.as_bytes()), within)
}

/// The delay of one tick within the jitter.
pub(crate) fn jitter(name: &str, tick: Timestamp, within: Span) -> Span {
    let seed = hash(name.as_bytes()) ^ tick.as_millis().unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    part(seed, within)
}

/// A value evenly distributed from zero to just below `within`. The mixing step is Sebastiano
/// Vigna's `SplitMix64`.
fn part(seed: u64, within: Span) -> Span {
    if within == Span::ZERO {
        return Span::ZERO;
    }
    let mut mixed = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let millis = (mixed ^ (mixed >> 31)) % within.as_millis().unsigned_abs();
    Span::from_millis(i64::try_from(millis).unwrap_or_default())
}

/// FNV-1a. The hash must not change between releases of Rust, as the standard library's may.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn shifts_stay_within_and_differ() {
        let within = Span::from_secs(60);
        let ticks = (0..1000).map(|tick| jitter("a", Timestamp::from_millis(tick * 60_000), within));
        let jitters: BTreeSet<Span> = ticks.collect();
        assert!(jitters.len() > 900 && jitters.iter().all(|jitter| *jitter < within), "{}", jitters.len());
        let spreads: BTreeSet<Span> = (0..1000).map(|name| spread(&format!("s{name}"), within)).collect();
        assert!(spreads.len() > 900 && spreads.iter().all(|spread| *spread < within), "{}", spreads.len());
        assert_eq!(spread("a", Span::ZERO), Span::ZERO);
    }

    /// Two versions of a program must agree; the number is the published hash of this text.
    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(hash(b"foobar"), 0x8594_4171_F739_67E8);
    }
}
