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

/// What may be wrong with a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Concern {
    /// Jobs are due, and no worker is present.
    NoWorker,
    /// Jobs have been due for long.
    Behind,
    /// It is paused.
    Paused,
    /// Many attempts fail.
    Failing,
}

/// Queues of one concern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthGroup {
    /// The concern.
    pub concern: Concern,
    /// A point of each queue; there is at least one.
    pub points: Vec<HealthPoint>,
}

/// Something worth a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthPoint {
    /// How bad it is.
    pub grade: Grade,
    /// What it is.
    pub concern: Concern,
    /// The queue.
    pub queue: QueueName,
    /// The same, as the end of a sentence that begins with the queue.
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

impl Concern {
    /// Every concern, the worst first.
    pub const ALL: [Self; 4] = [Self::NoWorker, Self::Behind, Self::Paused, Self::Failing];

    /// The lower-case name, as in addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoWorker => "no_worker",
            Self::Behind => "behind",
            Self::Paused => "paused",
            Self::Failing => "failing",
        }
    }
}

impl HealthGroup {
    /// A group of more queues is one sentence, and a smaller one is a sentence for each.
    const SINGLE_MAX: usize = 3;

    /// The groups of these points, the worst first.
    pub fn of(points: &[HealthPoint]) -> Vec<Self> {
        let group = |concern| {
            let points = points.iter().filter(|point| point.concern == concern);
            Self { concern, points: points.cloned().collect() }
        };
        Concern::ALL.into_iter().map(group).filter(|group| !group.points.is_empty()).collect()
    }

    /// One sentence about all queues of the group; `None` if they are so few that each has its own.
    pub fn words(&self) -> Option<String> {
        let queues = number(self.points.len() as u64);
        (self.points.len() > Self::SINGLE_MAX).then(|| match self.concern {
            Concern::NoWorker => format!("{queues} queues have due jobs and no worker"),
            Concern::Behind => format!("{queues} queues are behind"),
            Concern::Paused => format!("{queues} queues are paused"),
            Concern::Failing => format!("{queues} queues fail in many attempts of the last hour"),
        })
    }

    /// How bad it is.
    pub fn grade(&self) -> Grade {
        self.points.iter().map(|point| point.grade).max().unwrap_or(Grade::Good)
    }
}

impl QueueHealth<'_> {
    /// What is worth a look, the worst first.
    pub fn points(&self) -> Vec<HealthPoint> {
        let point =
            |grade, concern, words| HealthPoint { grade, concern, queue: self.status.name.clone(), words };
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
                Concern::NoWorker,
                format!("has due jobs and no worker; the oldest has waited {}", age(waits)),
            ));
        } else if let Some(waits) = waits.filter(|waits| *waits > BEHIND && !is_paused) {
            let words = format!("is behind: its oldest due job has waited {}", age(waits));
            points.push(point(Grade::Bad, Concern::Behind, words));
        }
        if is_paused {
            let words = format!("is paused, with {} due", number(counts.due()));
            points.push(point(Grade::Warn, Concern::Paused, words));
        }
        if let Some(words) = self.hour.and_then(failing) {
            points.push(point(Grade::Warn, Concern::Failing, words));
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

    #[test]
    fn many_queues_of_one_concern_are_one_sentence_and_few_are_their_own() {
        let point = |concern| HealthPoint {
            grade: Grade::Bad,
            concern,
            queue: QueueName::new("mail").unwrap(),
            words: "waits".to_owned(),
        };
        let mut points = vec![point(Concern::Paused); 3];
        points.extend(vec![point(Concern::NoWorker); 278]);
        let groups = HealthGroup::of(&points);
        let said: Vec<_> = groups.iter().map(|group| (group.concern, group.words())).collect();
        let words = Some("278 queues have due jobs and no worker".to_owned());
        assert_eq!(said, [(Concern::NoWorker, words), (Concern::Paused, None)]);
    }
}
