use crate::{Error, names::NAME_BYTES_MAX};

/// Why a name or id was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidName {
    /// Names have at least one byte.
    #[error("a {what} must not be empty")]
    Empty {
        /// Which kind of name.
        what: &'static str,
    },
    /// Names have at most [`NAME_BYTES_MAX`] bytes.
    #[error("a {what} has at most {NAME_BYTES_MAX} bytes, this one has {bytes}")]
    TooLong {
        /// Which kind of name.
        what: &'static str,
        /// The length that was refused, in bytes.
        bytes: usize,
    },
    /// Control characters would corrupt logs and terminals.
    #[error("a {what} must not contain control characters (found one at byte {at})")]
    ControlCharacter {
        /// Which kind of name.
        what: &'static str,
        /// Byte offset of the first offender.
        at: usize,
    },
}

impl From<InvalidName> for Error {
    fn from(invalid: InvalidName) -> Self {
        Self::invalid("validate", invalid.to_string()).with_source(invalid)
    }
}

/// The rules that all names share.
pub(super) fn check(what: &'static str, text: &str) -> Result<(), InvalidName> {
    if text.is_empty() {
        return Err(InvalidName::Empty { what });
    }
    if text.len() > NAME_BYTES_MAX {
        return Err(InvalidName::TooLong { what, bytes: text.len() });
    }
    match text.find(char::is_control) {
        Some(at) => Err(InvalidName::ControlCharacter { what, at }),
        None => Ok(()),
    }
}
