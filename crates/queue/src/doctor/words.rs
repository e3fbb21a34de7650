//! Lists of queues, as findings show them.

use queue_core::{Finding, Severity};
use std::borrow::Cow;

/// How many queues a finding names.
const NAMED_MAX: usize = 5;

/// What there is to say about each of several queues: the first few, and how many more.
pub(super) fn listed(mut each: Vec<String>) -> String {
    let more = each.len().saturating_sub(NAMED_MAX);
    each.truncate(NAMED_MAX);
    let first = each.join("; ");
    if more > 0 { format!("{first}; and {more} more") } else { first }
}

/// A warning if there is something to say about any queue.
pub(super) fn warning_of(
    code: impl Into<Cow<'static, str>>,
    each: Vec<String>,
    fine: &str,
    advice: &str,
) -> Finding {
    if each.is_empty() {
        return Finding::fine(code, fine);
    }
    Finding::new(code, Severity::Warning, listed(each), advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_a_few_queues_and_counts_the_rest() {
        assert_eq!(listed((1..=7).map(|n| n.to_string()).collect()), "1; 2; 3; 4; 5; and 2 more");
    }
}
