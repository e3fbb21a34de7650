//! What a store knows of a write to a queue by another handle.

/// What another handle wrote to a queue, as far as a store knows that does not learn of single
/// jobs: see [`Hub::tell`](crate::Hub::tell).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum News {
    /// Jobs of it changed.
    Changed,
    /// The same, and a claim may find something that it would not have found before.
    Wakes,
}
