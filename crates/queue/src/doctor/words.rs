//! Lengths of time and lists, as findings show them.

use queue_core::{Finding, Severity, Timestamp};
use std::{
    borrow::Cow,
    time::{Duration, UNIX_EPOCH},
};

/// How many queues a finding names.
const NAMED_MAX: usize = 5;
/// The last moment of the year 9999, in milliseconds: the last that can be written as a date.
const DATE_MAX_MS: u64 = 253_402_300_799_000;

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

/// A moment of store time as people read it, in UTC.
pub(super) fn date(at: Timestamp) -> String {
    let millis = u64::try_from(at.as_millis()).unwrap_or(0).min(DATE_MAX_MS);
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(millis)).to_string()
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
    fn moments_are_shown_as_dates() {
        let shown = [0, 1_763_911_380_000, i64::MAX].map(|millis| date(Timestamp::from_millis(millis)));
        assert_eq!(shown, ["1970-01-01T00:00:00Z", "2025-11-23T15:23:00Z", "9999-12-31T23:59:59Z"]);
    }

    #[test]
    fn a_finding_names_a_few_queues_and_counts_the_rest() {
        assert_eq!(listed((1..=7).map(|n| n.to_string()).collect()), "1; 2; 3; 4; 5; and 2 more");
    }
}
