//! What a rule has to say about a line.

use std::fmt;

/// Shown as `path:line: message`, which editors turn into a link.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) path: String,
    /// Counted from one.
    pub(super) line: usize,
    pub(super) message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;

    #[test]
    fn a_finding_is_shown_with_its_place() {
        let finding = Source::new("a/b.rs", "").finding(7, "too odd");
        assert_eq!(finding.to_string(), "a/b.rs:7: too odd");
    }
}
