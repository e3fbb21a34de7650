//! The numbers that stand for forms, computed while compiling.

const PRIME: u64 = 0x0100_0000_01b3;
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// A name behind what was hashed before it. FNV-1a, by Glenn Fowler, Landon Curt Noll and
/// Kiem-Phong Vo: it keeps builds from misreading each other, and no attacker out.
pub(crate) const fn hash(before: u64, name: &str) -> u64 {
    let bytes = name.as_bytes();
    // The length keeps two names apart from one that they make together.
    let mut hash = (before ^ OFFSET ^ bytes.len() as u64).wrapping_mul(PRIME);
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(PRIME);
        at += 1;
    }
    hash
}

/// Another form behind what was hashed before it.
pub(crate) const fn mix(before: u64, form: u64) -> u64 {
    (before.rotate_left(17) ^ form).wrapping_mul(PRIME)
}
