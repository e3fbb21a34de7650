//! What a look at the health of a store found.

use std::{borrow::Cow, fmt};

/// One thing that a look at the health of a store found, good or bad.
///
/// No finding holds an id of a job, a payload, a result or a password, so findings may be shown to
/// readers who may know the names of queues, kinds and tables.
///
/// ```
/// use queue_core::{Finding, Severity};
///
/// let log = Finding::warning("sqlite-log", "the log has 700 MiB", "end the long read");
/// assert_eq!(log.severity, Severity::Warning);
/// assert!(log.severity > Finding::fine("store-layout", "version 1").severity);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// A stable name in lower case, its words joined by hyphens, by which programs know the
    /// finding. A check has the same name for every result.
    pub code: Cow<'static, str>,
    /// How bad it is.
    pub severity: Severity,
    /// What was seen, with figures and their units.
    pub seen: String,
    /// What to do about it; empty if there is nothing to do.
    pub advice: String,
}

/// How bad a finding is, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// All is well.
    Fine,
    /// It could not be examined, for example because a right is missing.
    Unknown,
    /// Jobs are done, but late, or something is at risk.
    Warning,
    /// Jobs are not done, or may be lost.
    Broken,
}

impl Finding {
    /// All is well.
    pub fn fine(code: impl Into<Cow<'static, str>>, seen: impl Into<String>) -> Self {
        Self::new(code, Severity::Fine, seen, "")
    }

    /// It could not be looked at.
    pub fn unknown(
        code: impl Into<Cow<'static, str>>,
        seen: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(code, Severity::Unknown, seen, advice)
    }

    /// Jobs are late, or something is at risk.
    pub fn warning(
        code: impl Into<Cow<'static, str>>,
        seen: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(code, Severity::Warning, seen, advice)
    }

    /// Jobs are not done, or may be lost.
    pub fn broken(
        code: impl Into<Cow<'static, str>>,
        seen: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::new(code, Severity::Broken, seen, advice)
    }

    /// A finding of any severity; the advice of one that is fine is left out.
    pub fn new(
        code: impl Into<Cow<'static, str>>,
        severity: Severity,
        seen: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        let advice = if severity == Severity::Fine { String::new() } else { advice.into() };
        Self { code: code.into(), severity, seen: seen.into(), advice }
    }

    /// Whether a text can be a code: 1 to 40 small letters, digits and hyphens, beginning with a
    /// letter.
    pub fn is_code(text: &str) -> bool {
        let is_of_code = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        text.len() <= 40
            && text.bytes().next().is_some_and(|first| first.is_ascii_lowercase())
            && text.bytes().all(is_of_code)
    }
}

impl Severity {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Unknown => "unknown",
            Self::Warning => "warning",
            Self::Broken => "broken",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{Finding, Severity};

    #[test]
    fn codes_are_words_joined_by_hyphens() {
        assert!(Finding::is_code("sqlite-log"));
        for wrong in ["", "Log", "-log", "two words", "log_size", &"a".repeat(41)] {
            assert!(!Finding::is_code(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn the_worst_severity_is_the_greatest() {
        use Severity::{Broken, Fine, Unknown, Warning};
        assert!(Fine < Unknown && Unknown < Warning && Warning < Broken);
    }

    #[test]
    fn nothing_is_advised_where_all_is_well() {
        assert_eq!(Finding::new("x", Severity::Fine, "seen", "do something").advice, "");
    }
}
