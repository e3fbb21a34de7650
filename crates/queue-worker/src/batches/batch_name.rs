//! The name of a batch.

use queue_core::{InvalidName, JobId};
use std::{fmt, sync::Arc};

/// The most bytes of the name of a batch, which becomes a part of a tag and of ids.
pub const BATCH_NAME_BYTES_MAX: usize = 36;

/// The name of a batch: 1 to 36 bytes of UTF-8 without control characters, `@` and `/`, since it
/// becomes a part of a tag and of the ids of the members.
///
/// ```
/// use queue_worker::batches::BatchName;
///
/// assert_eq!(BatchName::new("import-7")?.as_str(), "import-7");
/// assert!(BatchName::new("import/7").is_err());
/// # Ok::<(), queue_worker::batches::InvalidBatchName>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchName(Arc<str>);

/// Why a text is no [`BatchName`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBatchName {
    /// The name is too long.
    #[error("the name of a batch has at most {BATCH_NAME_BYTES_MAX} bytes, this one has {bytes}")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// The name has a character that separates it from what follows in ids.
    #[error("the name of a batch has no `@` and no `/`")]
    Separator,
    /// The name is a folder in paths, and so in addresses.
    #[error("`.` and `..` are no names of batches, since an address cannot have them")]
    Folder,
    /// The name is empty or has a control character.
    #[error("the name of a batch: {0}")]
    Name(#[from] InvalidName),
}

impl From<InvalidBatchName> for queue_core::Error {
    fn from(invalid: InvalidBatchName) -> Self {
        Self::invalid("batch", invalid.to_string()).with_source(invalid)
    }
}

impl BatchName {
    /// Validates the text.
    ///
    /// # Errors
    /// If it is empty or too long, has a control character, `@` or `/`, or is `.` or `..`.
    pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidBatchName> {
        let text = text.as_ref();
        if text.len() > BATCH_NAME_BYTES_MAX {
            return Err(InvalidBatchName::TooLong { bytes: text.len() });
        }
        if text.contains(['@', '/']) {
            return Err(InvalidBatchName::Separator);
        }
        if matches!(text, "." | "..") {
            return Err(InvalidBatchName::Folder);
        }
        JobId::new(text)?;
        Ok(Self(text.into()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BatchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for BatchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_1_to_36_bytes_without_separators() {
        assert!(BatchName::new("é".repeat(18)).is_ok());
        assert_eq!(BatchName::new("é".repeat(19)), Err(InvalidBatchName::TooLong { bytes: 38 }));
        for text in ["a@b", "a/b", "@", "/"] {
            assert_eq!(BatchName::new(text), Err(InvalidBatchName::Separator), "{text:?}");
        }
        for text in ["", "a\n"] {
            assert!(matches!(BatchName::new(text), Err(InvalidBatchName::Name(_))), "{text:?}");
        }
    }
}
