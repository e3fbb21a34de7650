//! What a clock that was ahead for a moment has touched: schedules, delayed jobs and results.

use super::{
    facts::{QueueFacts, SAMPLE, StoreFacts},
    words::warning_of,
};
use queue_core::{ClockBound, Direction, Finding, JobMeta, Moment, Result, State, Storage, Timestamp, Walk};
use queue_view::words::age;
use std::time::Duration;

/// How many names a finding shows of each queue.
const NAMED_MAX: usize = 3;

/// What a sample of a queue shows of a clock that was ahead. No record says whether it was written
/// before or after the clock was ahead, so those that look older are counted in.
#[derive(Clone, Debug, Default)]
pub(super) struct AheadFacts {
    /// How far store time is ahead of the clock.
    lead: Duration,
    early_jobs: Vec<String>,
    early_results: Vec<String>,
}

impl AheadFacts {
    /// Reads samples of the jobs of a queue, if store time is ahead of its clock by more than the
    /// steps that handles let pass.
    pub(super) async fn read(storage: &dyn Storage, queue: &QueueFacts, time: Moment) -> Result<Self> {
        let (lead, clock) = (time.lead(), time.clock);
        if lead <= ClockBound::STEP_MAX.as_duration() {
            return Ok(Self::default());
        }
        let mut jobs = queue.held.clone();
        for walk in [Walk::Due, Walk::Scheduled] {
            jobs.extend(queue.page(storage, walk, SAMPLE).await?);
        }
        let finished = Walk::State(State::Completed, Direction::OldestFirst);
        let finished = queue.page(storage, finished, SAMPLE).await?;
        let early_jobs = jobs.iter().filter(|job| is_early(job, clock)).map(name).collect();
        let early_results = finished.iter().filter(|job| goes_early(job, clock)).map(name).collect();
        Ok(Self { lead, early_jobs, early_results })
    }

    fn finding(&self, names: &[String], what: &str) -> Option<String> {
        (!names.is_empty())
            .then(|| format!("has {what} up to {} before their time: {}", age(self.lead), some(names)))
    }
}

/// Whether a job was delayed by the clock as it is, so that it is due before the clock is there.
fn is_early(job: &JobMeta, clock: Timestamp) -> bool {
    job.created_at <= clock && job.run_at > clock && !job.kind.is_reserved()
}

/// Whether a job ended by the clock as it is, so that it is removed before the clock is there.
fn goes_early(job: &JobMeta, clock: Timestamp) -> bool {
    let ended_before = job.finished_at.is_some_and(|at| at <= clock);
    ended_before && job.purge_at.is_some_and(|at| at > clock)
}

fn name(job: &JobMeta) -> String {
    job.id.to_string()
}

pub(super) fn all(facts: &StoreFacts) -> Vec<Finding> {
    vec![schedules_ahead(facts), jobs_early(facts), results_early(facts)]
}

fn schedules_ahead(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let names = &queue.own_jobs.ahead;
        let furthest = names.iter().map(|(_, by)| *by).max()?;
        let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        Some(format!("has schedules up to {} ahead of the clock: {}", age(furthest), some(&names)))
    });
    warning_of(
        "schedules-ahead",
        found,
        "no schedule is ahead of the clock",
        &format!(
            "a clock was ahead when they were woken: their worker sets them back to the clock once it has looked twice, {} \
             apart; `queue schedule resume NAME` wakes one that sleeps until then. If it is this clock that is behind, set it first",
            age(ClockBound::STEP_MAX.as_duration())
        ),
    )
}

fn jobs_early(facts: &StoreFacts) -> Finding {
    let found =
        facts.of_each_queue(|queue| queue.ahead.finding(&queue.ahead.early_jobs, "jobs that may run"));
    warning_of(
        "jobs-early",
        found,
        "no delayed job is known to run before its time",
        "a clock was ahead, and the delays of jobs that were enqueued before end early. If they must not run yet: pause the queue \
         (`queue pause`), delay them again (`queue amend ID --at TIME`), and resume it",
    )
}

fn results_early(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        queue.ahead.finding(&queue.ahead.early_results, "results that may be removed")
    });
    warning_of(
        "results-early",
        found,
        "no result is known to be removed before its time",
        "a clock was ahead; results from before that were kept for less than its lead are gone, and these go early: read what you \
         need (`queue result ID`), or keep it for longer (`queue amend ID --ttl`)",
    )
}

/// The first few names.
fn some(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED_MAX).map(AsRef::as_ref).collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let shown = shown.join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
