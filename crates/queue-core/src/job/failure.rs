//! The error of a failed attempt, bounded and masked, so that it is safe to store.

use crate::mask_secrets;
use bytes::Bytes;

/// Longest stored failure message, in bytes.
pub const FAILURE_MESSAGE_BYTES_MAX: usize = 1024;
/// How often a message is masked and cut. The cut may leave half of a harmless word behind the name
/// of a secret, which is masked at the second time.
const STEPS_MAX: usize = 8;
/// Longest stored failure name, in bytes.
const FAILURE_NAME_BYTES_MAX: usize = 255;

/// Why an attempt failed, safe to store and to show: bounded, and with secrets masked.
///
/// It takes one pointer inside a job's metadata, since most jobs have no failure.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure(Box<FailureParts>);

#[derive(Clone, PartialEq, Eq)]
struct FailureParts {
    name: String,
    message: String,
    details: Option<Bytes>,
}

impl Failure {
    /// `name` is what programs match on, `message` is for people: at most 1024 bytes are kept,
    /// whole characters only, and values that look like secrets are masked. NUL becomes U+FFFD,
    /// since not every store can hold it. A failure made from the parts of another is equal to it,
    /// so stores use this method to read failures back.
    pub fn new(name: impl Into<String>, message: impl AsRef<str>) -> Self {
        let mut name = without_nul(&name.into());
        truncate(&mut name, FAILURE_NAME_BYTES_MAX);
        let message = safe_message(message.as_ref());
        Self(Box::new(FailureParts { name, message, details: None }))
    }

    /// Adds structured details, which are stored as given.
    #[must_use]
    pub fn with_details(mut self, details: Bytes) -> Self {
        self.0.details = Some(details);
        self
    }

    /// What programs match on.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What people read.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Structured details, kept apart from the metadata.
    pub fn details(&self) -> Option<&Bytes> {
        self.0.details.as_ref()
    }

    /// The same failure without its details, as it is in a job's metadata.
    #[must_use]
    pub fn without_details(mut self) -> Self {
        self.0.details = None;
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name(), self.message())
    }
}

impl std::fmt::Debug for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let FailureParts { name, message, details } = &*self.0;
        f.debug_struct("Failure")
            .field("name", name)
            .field("message", message)
            .field("details", details)
            .finish()
    }
}

/// A message that the same steps do not change again, since stores take them when they read.
fn safe_message(text: &str) -> String {
    let mut message = without_nul(text);
    for _ in 0..STEPS_MAX {
        let mut safe = mask_secrets(&message);
        truncate(&mut safe, FAILURE_MESSAGE_BYTES_MAX);
        if safe == message {
            return safe;
        }
        message = safe;
    }
    String::new()
}

fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{FFFD}")
}

fn truncate(text: &mut String, bytes_max: usize) {
    text.truncate(beginning(text, bytes_max).len());
}

/// The beginning of a text, at most `bytes_max` bytes, whole characters only.
pub(super) fn beginning(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut_at_a_whole_character() {
        let failure = Failure::new("Io", "é".repeat(600) + "x");
        assert_eq!(failure.message(), "é".repeat(512));
        let odd = Failure::new("Io", "x".to_owned() + &"é".repeat(600));
        assert_eq!(odd.message().len(), 1023);
    }

    #[test]
    fn nul_is_replaced_because_not_every_store_can_hold_it() {
        let failure = Failure::new("I\0o", "a\0b");
        assert_eq!((failure.name(), failure.message()), ("I\u{FFFD}o", "a\u{FFFD}b"));
    }

    #[test]
    fn a_failure_made_of_the_parts_of_another_is_the_same() {
        let near_the_end = "x".repeat(FAILURE_MESSAGE_BYTES_MAX - 8);
        for message in [
            "plain".to_owned(),
            "password=hunter2, token: \"a b\"; Authorization: Bearer x".to_owned(),
            near_the_end.clone() + "token=abc",
            near_the_end.clone() + "\"token\":\"abc\"",
            near_the_end.clone() + "token: null",
            near_the_end.clone() + "token: is old",
            near_the_end.clone() + "tokens: invalid",
            near_the_end + "é\0\0\0é",
        ] {
            let once = Failure::new("Io".repeat(200), &message);
            assert_eq!(Failure::new(once.name(), once.message()), once, "{message}");
        }
    }
}
