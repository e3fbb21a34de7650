//! The rules for names, and the error of a name that breaks them.

use crate::{Error, names::NAME_BYTES_MAX};

/// Why a name or id was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidName {
    /// The name is empty.
    #[error("a {what} must not be empty")]
    Empty {
        /// Which kind of name.
        what: &'static str,
    },
    /// The name is too long; most names have at most [`NAME_BYTES_MAX`] bytes.
    #[error("a {what} has at most {most} bytes, this one has {bytes}")]
    TooLong {
        /// Which kind of name.
        what: &'static str,
        /// The longest that it may be, in bytes.
        most: usize,
        /// The length that was refused, in bytes.
        bytes: usize,
    },
    /// The name contains a control character, which would corrupt logs and terminals.
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
pub(crate) fn check(what: &'static str, text: &str, most: usize) -> Result<(), InvalidName> {
    if text.is_empty() {
        return Err(InvalidName::Empty { what });
    }
    if text.len() > most {
        return Err(InvalidName::TooLong { what, most, bytes: text.len() });
    }
    match control_character(text) {
        Some(at) => Err(InvalidName::ControlCharacter { what, at }),
        None => Ok(()),
    }
}

/// The same rules, for constants.
pub(super) const fn is_valid(text: &str) -> bool {
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && control_character(text).is_none()
}

/// The byte at which the first control character begins. The search reads the bytes of UTF-8, since
/// constants cannot decode characters: U+0000 to U+001F and U+007F are single bytes, U+0080 to
/// U+009F are 0xC2 and a byte up to 0x9F.
const fn control_character(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_c1 = bytes[at] == 0xC2 && bytes[at + 1] <= 0x9F;
        if bytes[at].is_ascii_control() || is_c1 {
            return Some(at);
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::control_character;

    #[test]
    fn control_characters_are_those_of_unicode() {
        for character in '\0'..=char::MAX {
            let text = format!("é{character}");
            assert_eq!(control_character(&text), text.find(char::is_control), "{character:?}");
        }
    }
}
