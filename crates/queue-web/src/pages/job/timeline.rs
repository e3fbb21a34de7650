//! The steps in the life of a job, with signs and links.

use crate::{pages::capitalized, visit::Visit};
use queue_view::{
    JobReading, JobStep, TimelineEntry,
    words::{Moment, length, moment},
};

/// A step as the page draws it.
pub(crate) struct StepView {
    pub(crate) class: &'static str,
    pub(crate) sign: &'static str,
    pub(crate) title: String,
    pub(crate) at: Option<Moment>,
    pub(crate) took: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) worker: Option<(String, String)>,
}

pub(super) fn of(visit: &Visit, reading: &JobReading) -> Vec<StepView> {
    reading.timeline().into_iter().map(|entry| step(visit, reading, entry)).collect()
}

fn step(visit: &Visit, reading: &JobReading, entry: TimelineEntry) -> StepView {
    let (class, sign) = drawn(entry.step);
    StepView {
        class,
        sign,
        title: capitalized(&entry.step.words()),
        at: entry.at.map(|at| moment(at, reading.now)),
        took: entry.took.map(|took| format!("{} {}", taken(entry.step), length(took))),
        error: entry.error,
        worker: entry.worker.map(|name| (name, visit.link("workers", &[]))),
    }
}

const fn drawn(step: JobStep) -> (&'static str, &'static str) {
    match step {
        JobStep::Enqueued => ("rest", "+"),
        JobStep::AttemptFailed(_) => ("warn", "↻"),
        JobStep::AttemptStalled(_) => ("bad", "⚠"),
        JobStep::Running(_) => ("run", "▶"),
        JobStep::Waiting(_) => ("wait", "◷"),
        JobStep::Completed(_) => ("good", "✓"),
        JobStep::Failed => ("bad", "✕"),
        JobStep::Cancelled => ("rest", "⊘"),
        _ => ("rest", "…"),
    }
}

/// What the length of a step is about.
const fn taken(step: JobStep) -> &'static str {
    match step {
        JobStep::Running(_) => "for",
        JobStep::Waiting(_) => "waits for",
        _ => "took",
    }
}
