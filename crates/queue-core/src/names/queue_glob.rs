//! Patterns of queue names.

use super::{InvalidName, QueueName, reserved_queue::PREFIXES};
use std::{fmt, str::FromStr};

/// A pattern of queue names in which `*` stands for any text, also for none; every other character
/// stands for itself. Queues of the library itself, which begin with `queue.` or `leader:`, match a
/// pattern only if it begins so too: a token for `*` is not one for the leadership of a program.
///
/// ```
/// use queue_core::{QueueGlob, QueueName};
///
/// let mail: QueueGlob = "mail*".parse()?;
/// assert!(mail.matches(&QueueName::new("mail.out")?));
/// assert!(!mail.matches(&QueueName::new("billing")?));
/// assert!(!QueueGlob::any().matches(&QueueName::new("queue.operations")?));
/// # Ok::<(), queue_core::InvalidName>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct QueueGlob(String);

impl QueueGlob {
    /// The pattern `*`.
    pub fn any() -> Self {
        Self("*".to_owned())
    }

    /// The patterns of all queues, the queues of the library included.
    pub fn everything() -> Vec<Self> {
        PREFIXES.iter().map(|prefix| Self(format!("{prefix}*"))).chain([Self::any()]).collect()
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text before the first star, with which every name begins that fits the pattern.
    pub fn prefix(&self) -> &str {
        self.0.split('*').next().unwrap_or_default()
    }

    /// Whether the pattern has no star, and so is the name of the one queue that fits it.
    pub fn is_exact(&self) -> bool {
        !self.0.contains('*')
    }

    /// Whether the name of a queue fits the pattern. It takes time in proportion to the product of
    /// the two lengths, each at most 255 bytes.
    pub fn matches(&self, queue: &QueueName) -> bool {
        let name = queue.as_str();
        let is_hidden = |prefix: &str| name.starts_with(prefix) && !self.0.starts_with(prefix);
        !PREFIXES.into_iter().any(is_hidden) && fits(self.0.as_bytes(), name.as_bytes())
    }
}

impl FromStr for QueueGlob {
    type Err = InvalidName;

    /// A pattern obeys the rules of the names that it matches: 1 to 255 bytes without control
    /// characters.
    fn from_str(text: &str) -> Result<Self, InvalidName> {
        QueueName::new(text)?;
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for QueueGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QueueGlob({:?})", self.0)
    }
}

impl fmt::Display for QueueGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Matches bytes, which is the same as matching characters: no character of UTF-8 begins inside
/// another. Only the last star is ever tried again, so there is no exponential case.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut in_text) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        if pattern.get(at) == Some(&b'*') {
            last_star = Some((at, in_text));
            at += 1;
        } else if pattern.get(at) == Some(&text[in_text]) {
            at += 1;
            in_text += 1;
        } else if let Some((star, taken)) = last_star {
            last_star = Some((star, taken + 1));
            at = star + 1;
            in_text = taken + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::{QueueGlob, QueueName, fits};

    #[test]
    fn a_star_stands_for_any_text_and_nothing_else_is_special() {
        for (pattern, text, expected) in [
            ("mail", "mail", true),
            ("mail", "mails", false),
            ("mail", "Mail", false),
            ("*", "x", true),
            ("mail*", "mail", true),
            ("*mail", "e-mail", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("**", "anything", true),
            ("a?c", "abc", false),
            ("[ab]", "a", false),
            ("*é", "cafe\u{301} é", true),
            ("mail*", "../mail", false),
        ] {
            assert_eq!(fits(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_cost_no_more_than_the_product_of_the_lengths() {
        let pattern = "*a".repeat(127);
        assert!(!fits(pattern.as_bytes(), "a".repeat(126).as_bytes()));
        assert!(fits(pattern.as_bytes(), "a".repeat(255).as_bytes()));
    }

    #[test]
    fn reserved_queues_are_matched_by_patterns_that_name_them_alone() {
        let operations = QueueName::new("queue.operations").unwrap();
        for (pattern, expected) in [
            ("*", false),
            ("q*", false),
            ("*.operations", false),
            ("queue.*", true),
            ("queue.operations", true),
        ] {
            assert_eq!(pattern.parse::<QueueGlob>().unwrap().matches(&operations), expected, "{pattern}");
        }
    }
}
