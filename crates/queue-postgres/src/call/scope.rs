//! How the statements of a verb are committed.

/// How the statements of a verb are committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommitScope {
    /// Each statement commits by itself.
    Statement,
    /// All statements commit together at the end, by the store.
    Transaction,
    /// All statements commit together at the end, by a caller who opened the transaction and may
    /// roll it back.
    CallersTransaction,
}
