//! Cron patterns: how they are read and checked, and the next civil time that one matches.

use crate::{
    ScheduleError,
    pattern_advice::{instead_of, refuse_long_steps},
};
use croner::{
    Cron,
    parser::{CronParser, Seconds, Year},
};
use jiff::civil;
use std::fmt;

/// A cron pattern: five fields, or six with seconds before them, or `@hourly`, `@daily`, `@weekly`,
/// `@monthly`, `@yearly`.
///
/// The fields are minute, hour, day of the month, month, and day of the week, with names (`MON`,
/// `JAN`), lists, ranges and steps. `L` is the last day of the month or, as `FRI#L`, the last such
/// weekday; `15W` is the working day nearest to the 15th; `MON#2` is the second Monday. If both
/// days are given, a match of one of them is enough; `+` before the weekday requires both. A field
/// counts as not given if it is `*` alone. Vixie's cron differs in `*/2` and the like beside the
/// other field: there both must match.
///
/// A step must be shorter than what it steps through: `*/90` among minutes would leave minute 0
/// alone.
#[derive(Clone)]
pub struct CronPattern {
    text: String,
    cron: Box<Cron>,
    is_interval: bool,
}

/// A civil time from which to search whether a pattern fires at all.
const ANY_TIME: civil::DateTime = civil::datetime(1970, 1, 1, 0, 0, 0, 0);

impl CronPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`ScheduleError::Pattern`] for text that is not a pattern, [`ScheduleError::Step`] for a
    /// step that leaves a single value, [`ScheduleError::NeverFires`] for a pattern that matches no
    /// date, such as the 30th of February.
    pub fn new(text: &str) -> Result<Self, ScheduleError> {
        refuse_long_steps(text)?;
        Self::stored(text)
    }

    /// Reads a pattern that is stored already. Earlier versions took steps that leave one value,
    /// and such a schedule goes on as it did.
    pub(crate) fn stored(text: &str) -> Result<Self, ScheduleError> {
        // The parser skips an empty part of a list. A field of empty parts alone matches no time,
        // and the search for one takes seconds.
        let is_empty = |field: &str| field.split(',').any(str::is_empty);
        if text.split_whitespace().any(is_empty) {
            let reason = "a part of a list is empty".to_owned();
            return Err(ScheduleError::Pattern { pattern: text.to_owned(), reason });
        }
        let parser = CronParser::builder().seconds(Seconds::Optional).year(Year::Disallowed).build();
        let cron = parser.parse(text).map_err(|error| ScheduleError::Pattern {
            pattern: text.to_owned(),
            reason: instead_of(text).unwrap_or_else(|| error.to_string()),
        })?;
        let is_interval = time_fields(cron.as_str()).any(|field| field.contains('*'));
        let pattern = Self { text: text.trim().to_owned(), cron: Box::new(cron), is_interval };
        match pattern.next_civil(ANY_TIME, true) {
            Some(_) => Ok(pattern),
            None => Err(ScheduleError::NeverFires { timing: pattern.to_string() }),
        }
    }

    /// The text of the pattern.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether seconds, minutes or hours contain a `*`, as in `*/10 * * * *` or `0 * * * *`: such a
    /// pattern follows real time where a clock is put forward or back. Any other pattern names
    /// times of day, and runs once for each of them.
    pub fn is_interval(&self) -> bool {
        self.is_interval
    }

    /// The next civil time that matches, in any zone: times that some zone skips or repeats are not
    /// treated specially.
    pub(crate) fn next_civil(&self, from: civil::DateTime, inclusive: bool) -> Option<civil::DateTime> {
        self.cron.find_next_occurrence(&from, inclusive).ok()
    }
}

/// The fields of seconds (if present), minutes and hours.
fn time_fields(pattern: &str) -> impl Iterator<Item = &str> {
    let fields = pattern.split_whitespace().count();
    pattern.split_whitespace().take(fields - 3)
}

impl PartialEq for CronPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CronPattern {}

impl fmt::Display for CronPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.text)
    }
}

impl fmt::Debug for CronPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CronPattern").field(&self.text).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_among_the_times_makes_an_interval() {
        for text in ["* * * * *", "*/5 * * * *", "0 * * * *", "*/15 9-17 * * *", "*/10 30 2 * * *", "@hourly"]
        {
            assert!(CronPattern::new(text).expect(text).is_interval(), "{text}");
        }
        for text in ["0 2 * * *", "30 1,2 * * *", "0-59 2 * * *", "0 30 2 * * *", "0 0 L * *", "@daily"] {
            assert!(!CronPattern::new(text).expect(text).is_interval(), "{text}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_the_reason() {
        for text in [
            "",
            "hourly",
            "@never",
            "* * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "a b c d e",
            ", * * * *",
            "0 1,,2 * * *",
        ] {
            let refused = CronPattern::new(text).expect_err(text);
            assert!(matches!(refused, ScheduleError::Pattern { .. }), "{text}: {refused}");
        }
        let with_years = CronPattern::new("0 0 0 1 1 * 2020").expect_err("years are refused");
        assert!(matches!(with_years, ScheduleError::Pattern { .. }), "{with_years}");
    }

    #[test]
    fn a_pattern_that_never_fires_is_refused() {
        for text in ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "* * 31 2 *"] {
            let refused = CronPattern::new(text).expect_err(text);
            assert!(matches!(refused, ScheduleError::NeverFires { .. }), "{text}: {refused}");
        }
        CronPattern::new("0 0 29 2 *").expect("leap years have it");
    }
}
