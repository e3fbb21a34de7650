//! The error of bytes that are no entry of a series.

/// Bytes that are no entry of a series of this library, or one of a newer version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the entry of a series cannot be read: {0}")]
pub struct MalformedSeries(pub(super) &'static str);
