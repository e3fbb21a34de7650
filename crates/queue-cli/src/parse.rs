//! Parsers for values of the command line that are neither text nor plain numbers.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use queue::Keep;
use std::{
    error::Error,
    num::NonZeroUsize,
    str::FromStr,
    time::{Duration, SystemTime},
};

/// A budget of attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempts {
    At(u32),
    Unlimited,
}

/// How many jobs run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Running {
    AtMost(u32),
    Unlimited,
}

impl Running {
    /// The number, if there is one.
    pub(crate) const fn number(self) -> Option<u32> {
        match self {
            Self::AtMost(number) => Some(number),
            Self::Unlimited => None,
        }
    }
}

/// One of these words, which help, manual pages and completions list.
pub(crate) fn one_of<T>(words: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse())
}

/// `10s`, `500ms`, `1h30m`, `2days`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}; a length of time looks like 500ms, 10s, 5m, 1h30m or 7days"))
}

/// A date and a time of day, with `Z` or an offset.
pub(crate) fn time_of_day(text: &str) -> Result<SystemTime, String> {
    let parsed: Result<jiff::Timestamp, _> = text.parse();
    parsed.map(SystemTime::from).map_err(|error| {
        format!("{error}; a time looks like 2026-12-24T18:00:00Z, or 2026-12-24T18:00:00+01:00")
    })
}

/// A length of time that is not zero.
pub(crate) fn positive(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("it must be longer than zero".to_owned()),
        length => Ok(length),
    }
}

/// A length of time that is not zero, or `forever`.
pub(crate) fn longest(text: &str) -> Result<Duration, String> {
    match text {
        "forever" => Ok(Duration::MAX),
        _ => positive(text).map_err(|error| format!("{error}, or `forever`")),
    }
}

/// A shell command that is not empty.
pub(crate) fn command(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("an empty command does nothing, and every job would complete".to_owned());
    }
    Ok(text.to_owned())
}

/// A length of time, `forever`, or `none`.
pub(crate) fn keep(text: &str) -> Result<Keep, String> {
    match text {
        "forever" => Ok(Keep::Forever),
        "none" => Ok(Keep::Nothing),
        _ => duration(text).map(Keep::For).map_err(|error| format!("{error}, or `forever`, or `none`")),
    }
}

/// A number of at least 1, or `unlimited`.
pub(crate) fn attempts(text: &str) -> Result<Attempts, String> {
    match (text, text.parse()) {
        ("unlimited", _) => Ok(Attempts::Unlimited),
        (_, Ok(number @ 1..)) => Ok(Attempts::At(number)),
        _ => Err(format!("give a number from 1 to {}, or `unlimited`", u32::MAX)),
    }
}

/// A number, or `unlimited`.
pub(crate) fn running(text: &str) -> Result<Running, String> {
    match (text, text.parse()) {
        ("unlimited", _) => Ok(Running::Unlimited),
        (_, Ok(number)) => Ok(Running::AtMost(number)),
        _ => Err(format!("give a number from 0 to {}, or `unlimited`", u32::MAX)),
    }
}

/// The priority of a job.
pub(crate) fn priority(text: &str) -> Result<i16, String> {
    text.parse()
        .map_err(|_| format!("give a whole number from {} to {}; lower runs first", i16::MIN, i16::MAX))
}

/// A number of at least 1.
pub(crate) fn number_from_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "give a number from 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_have_an_offset_and_are_refused_without() {
        let christmas = SystemTime::UNIX_EPOCH + Duration::from_hours(499_482);
        for text in ["2026-12-24T18:00:00Z", "2026-12-24T19:00:00+01:00", "2026-12-24 13:00-05"] {
            assert_eq!(time_of_day(text), Ok(christmas), "{text}");
        }
        for text in ["2026-12-24T18:00:00", "2026-12-24", "18:00", "soon", ""] {
            assert!(time_of_day(text).is_err(), "{text}");
        }
    }

    #[test]
    fn lengths_of_time_need_a_unit_and_no_sign() {
        assert_eq!(duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        for text in ["", "5", "-5s", "1e9s", "5 parsecs", "99999999999999999999s", "999999999999999999y"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused_in_words() {
        for text in ["high", "40000", "1.5", ""] {
            assert!(priority(text).unwrap_err().contains("-32768 to 32767"), "{text}");
        }
        assert_eq!(priority("-3"), Ok(-3));
        assert_eq!(number_from_one("0"), Err("give a number from 1".to_owned()));
    }

    #[test]
    fn budgets_start_at_one() {
        assert_eq!(attempts("3"), Ok(Attempts::At(3)));
        assert_eq!(attempts("unlimited"), Ok(Attempts::Unlimited));
        for text in ["0", "-1", "4294967296", ""] {
            assert!(attempts(text).is_err(), "{text}");
        }
    }
}
