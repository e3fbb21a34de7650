//! The arguments that say when a schedule fires: a cron pattern, a period, or moments.

use crate::{exit::CliError, parse};
use clap::Args;
use queue::{Timestamp, schedules::Timing};
use std::time::{Duration, SystemTime};

/// The times at which a schedule fires: one of the three.
#[derive(Debug, Args)]
pub(super) struct TimingArgs {
    /// A cron pattern: minute, hour, day of the month, month, day of the week, preceded by seconds
    /// if there are six fields: `30 2 * * MON-FRI`. A time of day runs once a day, even where
    /// clocks change; `*` follows real time. `@hourly`, `@daily`, `@weekly`, `@monthly` and
    /// `@yearly` are patterns too
    #[arg(long, value_name = "PATTERN", group = "when")]
    cron: Option<String>,
    /// The time zone of the pattern: a name such as Europe/Berlin
    #[arg(long, value_name = "ZONE", default_value = "UTC", requires = "cron")]
    zone: String,
    /// Fire at equal intervals, counted from the beginning of 1970 in UTC, so that `1h` is each
    /// full hour
    #[arg(long, value_name = "TIME", value_parser = parse::positive, allow_hyphen_values = true, group = "when")]
    every: Option<Duration>,
    /// Fire at this moment, once: `2026-12-24T18:00:00Z`, or with an offset; may be repeated
    #[arg(long, value_name = "TIME", value_parser = parse::time_of_day, group = "when")]
    at: Vec<SystemTime>,
}

impl TimingArgs {
    pub(super) fn is_given(&self) -> bool {
        self.cron.is_some() || self.every.is_some() || !self.at.is_empty()
    }

    pub(super) fn timing(&self) -> Result<Timing, CliError> {
        let timing = match (&self.cron, self.every) {
            (Some(pattern), _) => Timing::cron(pattern, &self.zone),
            (None, Some(period)) => Timing::every(period),
            (None, None) => Timing::at(self.at.iter().copied().map(moment)),
        };
        timing.map_err(|error| CliError::invalid(error.to_string()))
    }
}

pub(super) fn moment(at: SystemTime) -> Timestamp {
    let millis = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(match at.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => millis(since),
        Err(before) => -millis(before.duration()),
    })
}
