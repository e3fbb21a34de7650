//! Schedules, policies and moments that these tests begin with.

use queue_core::{ContentType, JobId, Kind, NewJob, Payload, Span, Timestamp};
use queue_schedule::{Missed, ScheduleSpec, Template, Timing};

/// 2026-03-01 00:00 UTC: the clocks of Berlin and New York change in the weeks after it.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_772_323_200_000);
pub(crate) const SECOND: i64 = 1000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(START.as_millis() + millis)
}

pub(crate) fn all(millis: impl IntoIterator<Item = i64>) -> Vec<Timestamp> {
    millis.into_iter().map(at).collect()
}

pub(crate) fn spec(timing: Timing, missed: Missed) -> ScheduleSpec {
    let id = JobId::new("of the template").expect("an id");
    let json = ContentType::new("application/json").expect("a content type");
    let job = NewJob::new(id, Kind::new("report").expect("a kind"), Payload::new("{}", json));
    let mut spec = ScheduleSpec::new("nightly", timing, Template::of(&job).expect("a template"), START);
    spec.missed = missed;
    spec
}

pub(crate) fn cron(pattern: &str, missed: Missed) -> ScheduleSpec {
    spec(Timing::cron(pattern, "UTC").expect(pattern), missed)
}

pub(crate) fn every(millis: i64, missed: Missed) -> ScheduleSpec {
    let period = Span::from_millis(millis).as_duration();
    spec(Timing::every(period).expect("a period"), missed)
}

pub(crate) const fn skip(grace_ms: i64) -> Missed {
    Missed::Skip { grace: Some(Span::from_millis(grace_ms)) }
}

pub(crate) const SKIP: Missed = Missed::Skip { grace: None };
pub(crate) const EACH: Missed = Missed::All { max: usize::MAX };
