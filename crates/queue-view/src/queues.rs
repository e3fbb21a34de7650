//! A queue, as every face shows it.

use crate::words::millis;
use queue_core::{PausedKind, QueueStatus, State, Timestamp};
use serde::Serialize;

/// A queue with its jobs by state.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Queue))]
pub struct QueueView<'a> {
    queue: &'a str,
    paused: bool,
    /// When the pause ends by itself.
    paused_until_ms: Option<i64>,
    /// The kinds that are paused alone, by name.
    paused_kinds: Vec<KindPauseView<'a>>,
    queued: u64,
    processing: u64,
    failing: u64,
    completed: u64,
    failed: u64,
    cancelled: u64,
    total: u64,
    /// How many of the waiting jobs, which are queued or failing, are due.
    due: u64,
    /// How many of the waiting jobs have a due time that is still to come.
    scheduled: u64,
    /// How many of the waiting jobs are behind a closed gate. None of them is scheduled.
    gated: u64,
    /// For how long the oldest due job has been due.
    oldest_due_age_ms: Option<u64>,
    now_ms: i64,
}

/// A kind whose jobs wait while others are handed out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = PausedKind))]
pub struct KindPauseView<'a> {
    kind: &'a str,
    /// When the pause ends by itself.
    until_ms: Option<i64>,
}

impl<'a> QueueView<'a> {
    /// A queue as it was read.
    pub fn of(QueueStatus { name, pause, paused_kinds, counts }: &'a QueueStatus) -> Self {
        Self {
            queue: name.as_str(),
            paused: pause.is_on(),
            paused_until_ms: pause.until().map(Timestamp::as_millis),
            paused_kinds: paused_kinds.iter().map(KindPauseView::of).collect(),
            queued: counts.of(State::Queued),
            processing: counts.of(State::Processing),
            failing: counts.of(State::Failing),
            completed: counts.of(State::Completed),
            failed: counts.of(State::Failed),
            cancelled: counts.of(State::Cancelled),
            total: counts.total(),
            due: counts.due(),
            scheduled: counts.scheduled,
            gated: counts.gated,
            oldest_due_age_ms: counts.oldest_due.map(|due| millis(counts.now.since(due))),
            now_ms: counts.now.as_millis(),
        }
    }
}

impl<'a> KindPauseView<'a> {
    fn of(PausedKind { kind, pause }: &'a PausedKind) -> Self {
        Self { kind: kind.as_str(), until_ms: pause.until().map(Timestamp::as_millis) }
    }
}
