//! Queues and workers as the documents of the service have them.

use super::job_json::at;
use bytes::Bytes;
use queue_core::{
    Counts, Duty, Kind, Moment, Pause, PausedKind, QueueName, QueueStatus, Result, State, WorkerId,
    WorkerInfo,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A `QueueView` of `queue-view`.
#[derive(Debug, Deserialize)]
pub(super) struct QueueJson {
    pub(super) queue: String,
    paused: bool,
    paused_until_ms: Option<i64>,
    paused_kinds: Vec<KindJson>,
    queued: u64,
    processing: u64,
    failing: u64,
    completed: u64,
    failed: u64,
    cancelled: u64,
    scheduled: u64,
    gated: u64,
    oldest_due_age_ms: Option<i64>,
    now_ms: i64,
}

#[derive(Debug, Deserialize)]
struct KindJson {
    kind: String,
    until_ms: Option<i64>,
}

/// A page of queues.
#[derive(Debug, Deserialize)]
pub(super) struct QueuesJson {
    pub(super) queues: Vec<QueueJson>,
    pub(super) next: Option<String>,
}

/// The workers that are present.
#[derive(Debug, Deserialize)]
pub(super) struct WorkersJson {
    pub(super) workers: Vec<WorkerJson>,
}

/// A `WorkerView` of `queue-view`.
#[derive(Debug, Deserialize)]
pub(super) struct WorkerJson {
    id: String,
    queues: Vec<String>,
    concurrency: u32,
    held: u32,
    host: String,
    draining: bool,
    paused: bool,
    about: Option<Box<RawValue>>,
}

impl QueueJson {
    /// The queue as a store would answer it. The document has no second clock, so store time is
    /// taken to be right.
    ///
    /// # Errors
    /// `Invalid` for a name that is none.
    pub(super) fn status(&self) -> Result<QueueStatus> {
        let now = at(self.now_ms);
        let mut counts = Counts::empty(Moment { now, clock: now });
        for (state, count) in [
            (State::Queued, self.queued),
            (State::Processing, self.processing),
            (State::Failing, self.failing),
            (State::Completed, self.completed),
            (State::Failed, self.failed),
            (State::Cancelled, self.cancelled),
        ] {
            counts.set(state, count);
        }
        (counts.scheduled, counts.gated) = (self.scheduled, self.gated);
        counts.oldest_due = self.oldest_due_age_ms.map(|age| at(self.now_ms.saturating_sub(age)));
        let kind = |paused: &KindJson| {
            Ok(PausedKind { kind: Kind::new(&paused.kind)?, pause: pause(true, paused.until_ms) })
        };
        Ok(QueueStatus {
            name: QueueName::new(&self.queue)?,
            pause: pause(self.paused, self.paused_until_ms),
            paused_kinds: self.paused_kinds.iter().map(kind).collect::<Result<_>>()?,
            counts,
        })
    }
}

fn pause(is_on: bool, until_ms: Option<i64>) -> Pause {
    match until_ms {
        _ if !is_on => Pause::Off,
        Some(until) => Pause::Until(at(until)),
        None => Pause::UntilResumed,
    }
}

impl WorkerJson {
    /// The worker as it announced itself, as far as the token may see it.
    ///
    /// # Errors
    /// `Invalid` for a name that is none.
    pub(super) fn info(&self) -> Result<WorkerInfo> {
        let queues = self.queues.iter().map(QueueName::new).collect::<Result<Vec<_>, _>>()?;
        let duty = match (self.draining, self.paused) {
            (true, _) => Duty::Drain,
            (false, true) => Duty::Pause,
            (false, false) => Duty::Work,
        };
        let mut info = WorkerInfo::new(WorkerId::new(&self.id)?);
        info.queues = queues;
        (info.concurrency, info.held, info.duty) = (self.concurrency, self.held, duty);
        info.host.clone_from(&self.host);
        info.about = self.about.as_ref().map_or_else(Bytes::new, |about| about.get().to_owned().into());
        Ok(info)
    }
}
