use crate::mask_secrets;
use bytes::Bytes;

/// Longest stored failure message, in bytes.
pub const FAILURE_MESSAGE_BYTES_MAX: usize = 1024;
/// Longest stored failure name, in bytes.
const FAILURE_NAME_BYTES_MAX: usize = 255;

/// Why an attempt failed, safe to store and to show: bounded, and with secrets masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    name: String,
    message: String,
    details: Option<Bytes>,
}

impl Failure {
    /// `name` is what programs match on, `message` is for people: at most 1024 bytes are kept, whole
    /// characters only, and values that look like secrets are masked.
    pub fn new(name: impl Into<String>, message: impl AsRef<str>) -> Self {
        let mut name = name.into();
        truncate(&mut name, FAILURE_NAME_BYTES_MAX);
        let mut message = mask_secrets(message.as_ref());
        truncate(&mut message, FAILURE_MESSAGE_BYTES_MAX);
        Self { name, message, details: None }
    }

    /// Adds structured details, which are stored as given.
    #[must_use]
    pub fn with_details(mut self, details: Bytes) -> Self {
        self.details = Some(details);
        self
    }

    /// What programs match on.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What people read.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Structured details, kept apart from the metadata.
    pub fn details(&self) -> Option<&Bytes> {
        self.details.as_ref()
    }

    /// The same failure without its details, as metadata carries it.
    #[must_use]
    pub fn without_details(mut self) -> Self {
        self.details = None;
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.message)
    }
}

fn truncate(text: &mut String, bytes_max: usize) {
    text.truncate(text.floor_char_boundary(bytes_max));
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
}
