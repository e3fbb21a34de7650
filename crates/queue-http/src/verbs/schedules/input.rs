//! A schedule of a request, before the store has accepted it.

use crate::{
    limits::ServiceLimits,
    problem::{Problem, Result},
    wire::{NewJobIn, RequestRules, check_count, span},
};
use queue::schedules::{Missed, Overlap, ScheduleError, ScheduleSpec, Template, Tick, Timing};
use queue_core::{JobId, Timestamp};
use serde::Deserialize;
use std::{
    borrow::Cow,
    time::{Duration, SystemTime},
};
use utoipa::ToSchema;

/// The most bytes of a pattern: its lists are searched for each tick.
const PATTERN_BYTES_MAX: usize = 512;
/// The most missed ticks that run, unless a schedule says another number.
const CATCH_UP: usize = 1_000;
const ID: &str = "the id of each job is the name of the schedule, `@` and the tick";

/// A schedule: when it fires, the job that it enqueues, and what it does about ticks that passed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PutSchedule)]
pub(crate) struct ScheduleIn<'a> {
    /// A pattern of five fields, or six with seconds; in place of `every_ms` and `at`.
    #[serde(borrow)]
    cron: Option<Cow<'a, str>>,
    /// The zone of the pattern, such as `Europe/Vienna`; `UTC` if absent.
    #[serde(borrow)]
    zone: Option<Cow<'a, str>>,
    /// The time between two ticks, counted from the beginning of 1970 in UTC.
    every_ms: Option<u64>,
    /// Single moments, as in RFC 3339: `2026-12-24T18:00:00Z`.
    #[serde(borrow)]
    at: Option<Vec<Cow<'a, str>>>,
    /// The job of each tick, as an enqueue has it; its times count from the tick, and each string
    /// `"$queue.tick"` in its JSON becomes the moment of the tick. It has no `id`, which is the
    /// name, `@` and the tick, replaces no other job, and is not `awaited`.
    #[serde(borrow, default)]
    job: NewJobIn<'a>,
    /// What happens to ticks that passed while no worker ran; `skip` if absent.
    #[serde(default)]
    missed: MissedIn,
    /// With `skip`: how late a tick may be and still run; half the time to the next tick, 10 s to
    /// 1 h, if absent.
    grace_ms: Option<u64>,
    /// With `all`: the most ticks that run, the newest; 1000 if absent.
    catch_up: Option<usize>,
    /// What happens to a tick while the job of the one before it has not ended; `allow` if absent.
    #[serde(default)]
    overlap: OverlapIn,
    /// Each job is due up to this long after its tick.
    #[serde(default)]
    jitter_ms: u64,
    /// The whole schedule is handled up to this long after its ticks.
    #[serde(default)]
    spread_ms: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Missed)]
pub(crate) enum MissedIn {
    /// They do not run, except those that are late by at most the grace.
    #[default]
    Skip,
    /// The newest of them runs.
    Latest,
    /// All run, oldest first.
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Overlap)]
pub(crate) enum OverlapIn {
    /// Both run.
    #[default]
    Allow,
    /// The tick does not run.
    Skip,
    /// The earlier job is cancelled.
    Cancel,
}

impl ScheduleIn<'_> {
    /// The schedule, in the form that a store keeps.
    pub(crate) fn checked(self, name: &str, rules: &RequestRules<'_>) -> Result<ScheduleSpec> {
        let timing = timing(
            self.cron.as_deref(),
            self.zone.as_deref(),
            self.every_ms,
            self.at.as_deref(),
            rules.service,
        )?;
        let missed = missed(self.missed, self.grace_ms, self.catch_up)?;
        let job = template(self.job, rules).map_err(|problem| problem.at("job"))?;
        let mut spec = ScheduleSpec::new(name, timing, job, Timestamp::default());
        spec.missed = missed;
        spec.overlap = match self.overlap {
            OverlapIn::Allow => Overlap::Allow,
            OverlapIn::Skip => Overlap::Skip,
            OverlapIn::Cancel => Overlap::CancelPrevious,
        };
        spec.jitter = span("jitter_ms", self.jitter_ms)?;
        spec.spread = span("spread_ms", self.spread_ms)?;
        Ok(spec)
    }
}

/// When a schedule fires, in one of three forms.
pub(super) fn timing(
    cron: Option<&str>,
    zone: Option<&str>,
    every_ms: Option<u64>,
    at: Option<&[Cow<'_, str>]>,
    service: &ServiceLimits,
) -> Result<Timing> {
    if cron.is_none() && zone.is_some() {
        return Err(Problem::invalid("zone: it has a meaning only with cron"));
    }
    let timing = match (cron, every_ms, at) {
        (Some(cron), None, None) if cron.len() > PATTERN_BYTES_MAX => {
            return Err(Problem::invalid(format!("cron: at most {PATTERN_BYTES_MAX} bytes")));
        }
        (Some(cron), None, None) => Timing::cron(cron, zone.unwrap_or("UTC")),
        (None, Some(millis), None) => Timing::every(Duration::from_millis(millis)),
        (None, None, Some(at)) => {
            check_count("at", at.len(), service.jobs_per_call_max)?;
            let moments: Result<Vec<_>> = at.iter().map(|text| moment("at", text)).collect();
            Timing::at(moments?)
        }
        _ => return Err(Problem::invalid("give one of cron, every_ms and at")),
    };
    let field = match (&timing, cron, every_ms) {
        (Err(ScheduleError::Zone { .. } | ScheduleError::LocalZone { .. }), ..) => "zone",
        (_, Some(_), _) => "cron",
        (_, None, Some(_)) => "every_ms",
        _ => "at",
    };
    timing.map_err(|error| Problem::from(queue_core::Error::from(error)).at(field))
}

/// A moment as in RFC 3339.
pub(super) fn moment(what: &str, text: &str) -> Result<Timestamp> {
    let quoted = serde_json::Value::String(text.to_owned());
    let tick = serde_json::from_value::<Tick>(quoted).ok().filter(|tick| *tick != Tick::HERE);
    let tick = tick.ok_or_else(|| {
        Problem::invalid(format!("{what}: {text:?} is no moment; write it as 2026-12-24T18:00:00Z"))
    })?;
    let since = tick.time().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}

fn missed(rule: MissedIn, grace_ms: Option<u64>, catch_up: Option<usize>) -> Result<Missed> {
    match (rule, grace_ms, catch_up) {
        (MissedIn::Skip, grace, None) => {
            let grace = grace.map(|millis| span("grace_ms", millis)).transpose()?;
            Ok(Missed::Skip { grace })
        }
        (MissedIn::Latest, None, None) => Ok(Missed::Latest),
        (MissedIn::All, None, max) => Ok(Missed::All { max: max.unwrap_or(CATCH_UP) }),
        (_, Some(_), _) => Err(Problem::invalid("grace_ms: it has a meaning only with \"missed\": \"skip\"")),
        (_, None, Some(_)) => {
            Err(Problem::invalid("catch_up: it has a meaning only with \"missed\": \"all\""))
        }
    }
}

/// The job as an enqueue would have it, whose rules are the same.
fn template(said: NewJobIn<'_>, rules: &RequestRules<'_>) -> Result<Template> {
    if said.has_id() {
        return Err(refused(ScheduleError::Option { option: "id", why: ID }));
    }
    let job = said.checked(Some(JobId::from_static("tick")), rules)?;
    Template::of(&job).map_err(refused)
}

fn refused(error: ScheduleError) -> Problem {
    Problem::from(queue_core::Error::from(error))
}
