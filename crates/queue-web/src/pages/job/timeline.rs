//! What happened to a job, in order.

use crate::visit::Visit;
use queue_core::{Attempt, AttemptOutcome, JobMeta, State, Timestamp};
use queue_view::words::{Moment, length, moment};

/// Something that happened, or will.
pub(crate) struct TimelineEntry {
    pub(crate) class: &'static str,
    pub(crate) sign: &'static str,
    pub(crate) title: String,
    pub(crate) at: Moment,
    pub(crate) notes: Vec<String>,
    pub(crate) error: Option<String>,
    pub(crate) worker: Option<(String, String)>,
}

/// What happened to a job: enqueued, due, each attempt that was charged, and its end or what comes
/// next.
pub(super) fn of(visit: &Visit, job: &JobMeta, attempts: &[Attempt], now: Timestamp) -> Vec<TimelineEntry> {
    let plain = |class, sign, title: &str, at: Timestamp| TimelineEntry {
        class,
        sign,
        title: title.to_owned(),
        at: moment(at, now),
        notes: Vec::new(),
        error: None,
        worker: None,
    };
    let worker = |name: &str| Some((name.to_owned(), visit.link("workers", &[])));
    let mut entries = vec![plain("rest", "+", "Enqueued", job.created_at)];
    let left_out =
        job.attempts_made().saturating_sub(attempts.len() as u32 + u32::from(job.state == State::Processing));
    if left_out > 0 && !attempts.is_empty() {
        entries[0].notes.push(format!("The store keeps the last {} failures of a job.", attempts.len()));
    }
    entries.extend(attempts.iter().map(|attempt| TimelineEntry {
        notes: vec![format!("took {}", length(attempt.ended_at.since(attempt.claimed_at)))],
        error: Some(format!("{}: {}", attempt.error_name, attempt.error_message)),
        worker: worker(attempt.worker.as_str()),
        ..attempted(attempt, plain("warn", "↻", "", attempt.claimed_at))
    }));
    if let (State::Processing, Some(claimed_at)) = (job.state, job.claimed_at) {
        let mut entry = plain("run", "▶", "Running", claimed_at);
        entry.notes.push(format!("for {}", length(now.since(claimed_at))));
        entry.worker = job.lease.as_ref().and_then(|lease| worker(lease.worker.as_str()));
        entries.push(entry);
    }
    if job.state.is_waiting() {
        let title = if job.is_scheduled(now) {
            "Due again, then a worker may take it"
        } else {
            "Due: waits for a worker"
        };
        let title = if attempts.is_empty() { title.replace(" again", "") } else { title.to_owned() };
        entries.push(plain("wait", "◷", &title, job.run_at));
    }
    entries.extend(job.finished_at.map(|at| finished(job, plain("good", "✓", "Completed", at))));
    entries
}

fn attempted(attempt: &Attempt, entry: TimelineEntry) -> TimelineEntry {
    let (class, sign, word) = match attempt.outcome {
        AttemptOutcome::Failed => ("warn", "↻", "failed"),
        AttemptOutcome::Stalled => ("bad", "⚠", "stalled: its worker died or was cut off"),
    };
    TimelineEntry { class, sign, title: format!("Attempt {} {word}", attempt.epoch), ..entry }
}

fn finished(job: &JobMeta, entry: TimelineEntry) -> TimelineEntry {
    let (class, sign, title) = match job.state {
        State::Failed => ("bad", "✕", "Failed for good"),
        State::Cancelled => ("rest", "⊘", "Cancelled"),
        _ => ("good", "✓", "Completed"),
    };
    let mut entry = TimelineEntry { class, sign, title: title.to_owned(), ..entry };
    if let (State::Completed, Some(claimed_at), Some(end)) = (job.state, job.claimed_at, job.finished_at) {
        entry.notes.push(format!("the last attempt took {}", length(end.since(claimed_at))));
    }
    entry
}
