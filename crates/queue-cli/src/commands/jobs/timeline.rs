//! The life of a job in lines: its enqueue, the outcome of each attempt, its state.

use super::job_pauses::JobPauses;
use crate::output::{self, Column, Table, age};
use queue::{
    State, Status,
    queue_core::{ATTEMPTS_MAX, Attempt, Timestamp},
};
use std::time::Duration;

const COLUMNS: [Column; 5] = [
    Column::whole("WHEN"),
    Column::text("WHAT"),
    Column::whole("TOOK").plain(""),
    Column::text("WORKER").plain(""),
    Column::text("ERROR").plain(""),
];

/// One line for each known step, oldest first.
pub(crate) fn timeline(status: &Status, attempts: &[Attempt], pauses: &JobPauses) -> Table {
    let meta = &status.meta;
    let mut rows = vec![row(status, meta.created_at, "enqueued", None, "", "")];
    let known = attempts.len() as u64;
    let charged = u64::from(meta.failures) + u64::from(meta.stalls);
    if known as usize == ATTEMPTS_MAX && charged > known {
        let before = format!("{} earlier attempts are not kept", charged - known);
        rows.push(vec![String::new(), before, String::new(), String::new(), String::new()]);
    }
    for attempt in attempts {
        let what = format!("attempt {} {}", attempt.epoch, attempt.outcome.as_str());
        let took = attempt.ended_at.since(attempt.claimed_at);
        let error = format!("{}: {}", attempt.error_name, attempt.error_message);
        rows.push(row(status, attempt.claimed_at, &what, Some(took), attempt.worker.as_str(), &error));
    }
    rows.extend(last(status, pauses));
    output::table(COLUMNS, rows)
}

/// The last line, about anything but a charged attempt: one that runs or succeeded, a cancel, or
/// the wait for the next attempt.
fn last(status: &Status, pauses: &JobPauses) -> Option<Vec<String>> {
    let meta = &status.meta;
    let ran = meta.run_time(status.now);
    match meta.state {
        State::Processing => {
            let worker = meta.lease.as_ref().map_or("", |lease| lease.worker.as_str());
            Some(row(status, meta.claimed_at?, &format!("attempt {} runs", meta.epoch), ran, worker, ""))
        }
        State::Completed => {
            Some(row(status, meta.claimed_at?, &format!("attempt {} completed", meta.epoch), ran, "", ""))
        }
        State::Failed | State::Cancelled => {
            Some(row(status, meta.finished_at?, meta.state.as_str(), None, "", ""))
        }
        State::Queued | State::Failing => {
            let due_in = status.due_in()?;
            let due = if due_in.is_zero() { "due".to_owned() } else { format!("due in {}", age(due_in)) };
            let what = if pauses.are_on() { format!("{due}, but paused") } else { due };
            let waited = meta.wait_time(status.now);
            Some(vec![
                "now".to_owned(),
                what,
                waited.map(age).unwrap_or_default(),
                String::new(),
                String::new(),
            ])
        }
    }
}

fn row(
    status: &Status,
    at: Timestamp,
    what: &str,
    took: Option<Duration>,
    worker: &str,
    error: &str,
) -> Vec<String> {
    let when = format!("{} ago", age(status.now.since(at)));
    vec![when, what.to_owned(), took.map(age).unwrap_or_default(), worker.to_owned(), error.to_owned()]
}
