//! Whether all is well, in words. It is decided from what was read, without a store.

use crate::words::{age, number, plural, share};
use queue_core::{QueueName, QueueStatus, WorkerInfo, series::WorkCounts, series::WorkOutcome};
use std::time::Duration;

/// Jobs that have been due for longer than this are behind.
const BEHIND: Duration = Duration::from_secs(5 * 60);
/// As many of a hundred attempts that fail are worth a look.
const FAILING_PERCENT: u64 = 5;
/// Fewer attempts say nothing about shares.
const ATTEMPTS_MIN: u64 = 20;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing.
    Good,
    /// Worth a look.
    Warn,
    /// Jobs wait without a worker, or too long.
    Bad,
}

/// Something worth a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthPoint {
    /// How bad it is.
    pub grade: Grade,
    /// The queue.
    pub queue: QueueName,
    /// What it is, as the end of a sentence that begins with the queue.
    pub words: String,
}

/// What is known of a queue.
#[derive(Debug)]
pub struct QueueHealth<'a> {
    /// Its counts and its pause.
    pub status: &'a QueueStatus,
    /// Those that work on it; `None` if the store does not tell.
    pub workers: Option<&'a [WorkerInfo]>,
    /// What was counted in the last hour, if anything.
    pub hour: Option<&'a WorkCounts>,
}

impl Grade {
    /// Its word, which is the class of its colours in the dashboard.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }

    /// The sign before its words.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Warn => "!",
            Self::Bad => "✕",
        }
    }
}

impl QueueHealth<'_> {
    /// What is worth a look, the worst first.
    pub fn points(&self) -> Vec<HealthPoint> {
        let point = |grade, words| HealthPoint { grade, queue: self.status.name.clone(), words };
        let mut points = Vec::new();
        let counts = &self.status.counts;
        let waits = counts.oldest_due.map(|due| counts.now.since(due));
        let is_paused = self.status.pause.is_on();
        let has_no_worker = self
            .workers
            .is_some_and(|workers| !workers.iter().any(|worker| worker.queues.contains(&self.status.name)));
        if let Some(waits) = waits.filter(|_| has_no_worker && !is_paused) {
            points.push(point(
                Grade::Bad,
                format!("has due jobs and no worker; the oldest has waited {}", age(waits)),
            ));
        } else if let Some(waits) = waits.filter(|waits| *waits > BEHIND && !is_paused) {
            points
                .push(point(Grade::Bad, format!("is behind: its oldest due job has waited {}", age(waits))));
        }
        if is_paused {
            points.push(point(Grade::Warn, format!("is paused, with {} due", number(counts.due()))));
        }
        if let Some(words) = self.hour.and_then(failing) {
            points.push(point(Grade::Warn, words));
        }
        points
    }
}

/// A share of failures that is worth a look.
fn failing(hour: &WorkCounts) -> Option<String> {
    let failed = hour.of(WorkOutcome::Failing) + hour.of(WorkOutcome::Failed);
    let all = failed + hour.of(WorkOutcome::Completed);
    if all < ATTEMPTS_MIN || failed * 100 <= all * FAILING_PERCENT {
        return None;
    }
    let share = share(failed, all).unwrap_or_default();
    Some(format!("fails in {share} of the attempts of the last hour"))
}

/// The sentence at the top.
pub fn headline(points: &[HealthPoint], queues: u64) -> (Grade, String) {
    let worst = points.iter().map(|point| point.grade).max().unwrap_or(Grade::Good);
    let count = points.iter().filter(|point| point.grade == worst).count() as u64;
    let words = match worst {
        _ if queues == 0 => "There is no queue yet".to_owned(),
        Grade::Good => "All is well".to_owned(),
        Grade::Warn => format!("{} worth a look", plural(count, "thing is", "things are")),
        Grade::Bad => format!("{} attention", plural(count, "thing needs", "things need")),
    };
    (worst, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::{Counts, Moment, Pause, State, Timestamp, WorkerId};

    fn status(due_for: Option<u64>, pause: Pause) -> QueueStatus {
        let now = Timestamp::from_millis(10_000_000);
        let mut counts = Counts::empty(Moment::at(now));
        if let Some(seconds) = due_for {
            counts.set(State::Queued, 3);
            counts.oldest_due = Some(Timestamp::from_millis(10_000_000 - seconds.cast_signed() * 1_000));
        }
        QueueStatus { name: QueueName::new("mail").unwrap(), pause, paused_kinds: Vec::new(), counts }
    }

    fn grades(status: &QueueStatus, workers: Option<&[WorkerInfo]>, hour: Option<&WorkCounts>) -> Vec<Grade> {
        QueueHealth { status, workers, hour }.points().iter().map(|point| point.grade).collect()
    }

    #[test]
    fn what_waits_too_long_or_without_a_worker_is_bad_and_a_pause_explains_it() {
        let mut worker = WorkerInfo::new(WorkerId::new("w").unwrap());
        worker.queues = vec![QueueName::new("mail").unwrap()];
        let present = std::slice::from_ref(&worker);
        assert_eq!(grades(&status(Some(10), Pause::Off), Some(present), None), []);
        assert_eq!(grades(&status(Some(400), Pause::Off), Some(present), None), [Grade::Bad]);
        assert_eq!(grades(&status(Some(1), Pause::Off), Some(&[]), None), [Grade::Bad]);
        assert_eq!(grades(&status(Some(1), Pause::Off), None, None), []);
        assert_eq!(grades(&status(Some(400), Pause::UntilResumed), Some(&[]), None), [Grade::Warn]);
        assert_eq!(grades(&status(None, Pause::Off), Some(&[]), None), []);
    }

    #[test]
    fn failures_count_by_their_share_once_there_are_enough_attempts() {
        let mut hour = WorkCounts::default();
        (0..10).for_each(|_| hour.count(WorkOutcome::Failing));
        let quiet = status(None, Pause::Off);
        assert_eq!(grades(&quiet, None, Some(&hour)), []);
        (0..90).for_each(|_| hour.count(WorkOutcome::Completed));
        assert_eq!(grades(&quiet, None, Some(&hour)), [Grade::Warn]);
    }
}
