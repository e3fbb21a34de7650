//! What people want to know of a job, as labels and values.

use super::{JobReading, terms::term_facts};
use crate::{
    Standing,
    words::{age, moment},
};
use queue_core::{Budget, JobMeta, Timestamp};

/// A fact of a job for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFact {
    /// What it is about, in lower case.
    pub label: &'static str,
    /// What there is to say.
    pub value: String,
    /// The part of a [`JobFilter`](crate::JobFilter) for the jobs of the queue that share the fact.
    pub shared: Option<&'static str>,
}

impl JobFact {
    pub(super) fn plain(label: &'static str, value: impl Into<String>) -> Self {
        Self { label, value: value.into(), shared: None }
    }

    pub(super) fn shared(label: &'static str, value: &str, part: &'static str) -> Self {
        Self { shared: Some(part), ..Self::plain(label, value) }
    }
}

/// What people want to know of a job, besides its id, its queue, its state and its error, which
/// faces show elsewhere.
pub(super) fn facts(reading: &JobReading) -> Vec<JobFact> {
    let JobReading { meta, now, pauses, slot_wait, .. } = reading;
    let mut facts = vec![
        JobFact::shared("kind", meta.kind.as_str(), "kind"),
        JobFact::plain("attempts", attempts_words(meta)),
    ];
    if meta.stalls > 0 {
        facts.push(JobFact::plain("stalls", counted(meta.stalls, meta.terms.max_stalls)));
    }
    facts.push(JobFact::plain("priority", meta.priority.to_string()));
    let partition = meta.partition.iter();
    facts.extend(partition.map(|it| JobFact::shared("partition", it.as_str(), "partition")));
    facts.extend(meta.tags.iter().map(|tag| JobFact::shared("tag", tag.as_str(), "tag")));
    facts.push(JobFact::plain("enqueued", relative(meta.created_at, *now)));
    facts.extend(meta.wait_time(*now).map(|time| JobFact::plain("waited", age(time))));
    facts.extend(meta.run_time(*now).map(|time| JobFact::plain("ran", age(time))));
    facts.extend(pauses.words().map(|pause| JobFact::plain("paused", pause)));
    facts.extend(slot_wait.iter().map(|wait| JobFact::plain("slot", wait.words())));
    facts.extend(gate_words(meta, *now).map(|gate| JobFact::plain("gate", gate)));
    facts.extend(limits(meta, *now));
    facts.extend(meta.finished_at.map(|at| JobFact::plain("finished", relative(at, *now))));
    if meta.state.is_terminal() {
        let end = meta.purge_at.map_or_else(|| "never".to_owned(), |at| relative(at, *now));
        facts.push(JobFact::plain("record ends", end));
    }
    let number = format!("{} (revision {}, epoch {})", meta.seq.get(), meta.revision, meta.epoch);
    facts.push(JobFact::plain("number", number));
    facts
}

/// What ends the job, its attempt or its lease.
fn limits(job: &JobMeta, now: Timestamp) -> Vec<JobFact> {
    let mut facts = Vec::new();
    if let Some(lease) = &job.lease {
        facts.push(JobFact::shared("held by", lease.worker.as_str(), "worker"));
        facts.push(JobFact::plain("lease ends", relative(lease.expires_at, now)));
    }
    let must_start = job.expires_at().filter(|_| !job.state.is_terminal() && !job.is_expired(now));
    facts.extend(must_start.map(|at| JobFact::plain("must start", relative(at, now))));
    facts.extend(term_facts(&job.terms));
    if job.cancel_requested {
        facts.push(JobFact::plain("cancel", "asked to stop"));
    }
    facts
}

/// What the job waits for behind its closed gate: `3 of 10 jobs have ended`.
fn gate_words(job: &JobMeta, now: Timestamp) -> Option<String> {
    let gate = job.gate.as_ref().filter(|_| job.is_gated(now))?;
    let sealed = if gate.is_sealed { "" } else { ", and more may come" };
    Some(format!("waits behind a gate: {} of {} have ended{sealed}", gate.signals, gate.needs))
}

fn relative(at: Timestamp, now: Timestamp) -> String {
    moment(at, now).relative
}

/// The attempts that were made, of those that may be: `2 of 25`.
pub fn attempts_words(job: &JobMeta) -> String {
    counted(job.attempts_made(), job.terms.max_attempts)
}

fn counted(count: u32, budget: Budget) -> String {
    match budget {
        Budget::Limited(limit) => format!("{count} of {limit}"),
        Budget::Unlimited => format!("{count}, without a limit"),
    }
}

/// How a job stands, in words: `failed (exhausted)`, `scheduled, due in 5 min`.
pub fn standing_words(job: &JobMeta, now: Timestamp) -> String {
    let standing = Standing::of(job, now);
    match job.reason {
        _ if job.is_expired(now) => format!("{standing}, expired: no worker started it in time"),
        _ if standing != Standing::Parked && job.is_scheduled(now) => {
            format!("{standing}, due {}", relative(job.run_at, now))
        }
        Some(reason) => format!("{standing} ({reason})"),
        None if job.cancel_requested => format!("{standing}, asked to stop"),
        None => standing.to_string(),
    }
}
