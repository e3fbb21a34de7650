//! The error of bytes that are no entry of a series.

use crate::wire::Malformed;

/// Bytes that are no entry of a series of this library, or one of a newer version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the entry of a series cannot be read: {0}")]
pub struct MalformedSeries(pub(super) &'static str);

impl From<Malformed> for MalformedSeries {
    fn from(Malformed(why): Malformed) -> Self {
        Self(why)
    }
}
