//! Lengths of time and lists, as findings show them.

use queue_core::{Finding, Severity};
use std::{borrow::Cow, time::Duration};

/// How many queues a finding names.
const NAMED_MAX: usize = 5;

/// A length of time in the unit that fits.
pub(super) fn age(length: Duration) -> String {
    let seconds = length.as_secs();
    match seconds {
        0 => format!("{} ms", length.as_millis()),
        1..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

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
    fn ages_are_shown_in_the_unit_that_fits() {
        let shown = [0, 119, 120, 7_199, 7_200, 172_800].map(|seconds| age(Duration::from_secs(seconds)));
        assert_eq!(shown, ["0 ms", "119 s", "2 min", "119 min", "2 h", "2 d"]);
    }

    #[test]
    fn a_finding_names_a_few_queues_and_counts_the_rest() {
        assert_eq!(listed((1..=7).map(|n| n.to_string()).collect()), "1; 2; 3; 4; 5; and 2 more");
    }
}
