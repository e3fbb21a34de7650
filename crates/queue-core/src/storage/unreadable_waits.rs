//! How long a job of the library's own waits for a program that can read it.

use crate::{JobMeta, QueueName, Seq, Span, Timestamp, lifecycle::RESERVED_KIND_WAIT};
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// The first waits. Programs that wait for the same job take it by chance, so many short turns give
/// one that can read it nearly always one of them.
const WAIT_MIN: Span = Span::from_millis(100);
/// A wait is this part of the time for which the job has been unread here.
const PART: i64 = 64;
/// The most jobs that are remembered. Any beyond them waits for long, so that many jobs that no
/// program can read do not come back all the time.
const REMEMBERED_MAX: usize = 1_000;
/// A job that has not come back for so long has another reader, or is over.
const FORGOTTEN_AFTER: Span = Span::from_secs(600);

/// The jobs of a [reserved kind](crate::Kind::is_reserved) that this program cannot read, and how
/// long it puts each of them back for others: 100 ms at first, so that a tick of a schedule is not
/// late where another program can read it, and later a 64th of the time that has passed, up to
/// [`RESERVED_KIND_WAIT`], so that a job that no program can read costs little. The times begin
/// again when another program has moved the job on.
///
/// A store offers each due job to every program, so all of them share the turns. One value for each
/// program, or for each worker in it, is enough. It is only a memory: a program that has lost it
/// begins with short waits again.
#[derive(Debug, Default)]
pub struct UnreadableWaits(Mutex<BTreeMap<(QueueName, Seq), Unread>>);

/// What a program does with a job that it cannot read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnreadableWait {
    /// How long it puts the job back.
    pub delay: Span,
    /// It has not met the job before, so its log names the job.
    pub is_first: bool,
}

/// A job that this program could not read.
#[derive(Debug)]
struct Unread {
    progress: Option<Bytes>,
    /// When the job first had this progress.
    since: Timestamp,
    met: Timestamp,
}

impl UnreadableWaits {
    /// Notes a job, which was read at its claim, and answers how long to put it back.
    pub fn note(&self, job: &JobMeta) -> UnreadableWait {
        let now = job.claimed_at.unwrap_or(job.run_at);
        let key = (job.queue.clone(), job.seq);
        let mut known = self.0.lock();
        if let Some(unread) = known.get_mut(&key) {
            return UnreadableWait { delay: unread.meet(job, now), is_first: false };
        }
        if known.len() >= REMEMBERED_MAX {
            known.retain(|_, unread| Span::at_most(now.since(unread.met)) < FORGOTTEN_AFTER);
        }
        if known.len() >= REMEMBERED_MAX {
            return UnreadableWait { delay: RESERVED_KIND_WAIT, is_first: false };
        }
        known.insert(key, Unread::begin(job, now));
        UnreadableWait { delay: WAIT_MIN, is_first: true }
    }
}

impl Unread {
    fn begin(job: &JobMeta, now: Timestamp) -> Self {
        Self { progress: job.progress().map(Bytes::copy_from_slice), since: now, met: now }
    }

    fn meet(&mut self, job: &JobMeta, now: Timestamp) -> Span {
        if self.progress.as_deref() != job.progress() {
            *self = Self::begin(job, now);
        }
        self.met = now;
        let passed = Span::at_most(now.since(self.since));
        Span::from_millis(passed.as_millis() / PART).clamp(WAIT_MIN, RESERVED_KIND_WAIT)
    }
}

#[cfg(test)]
mod tests {
    use super::{FORGOTTEN_AFTER, REMEMBERED_MAX, UnreadableWaits, WAIT_MIN};
    use crate::{
        ContentType, JobId, JobMeta, Kind, NewJob, Payload, QueueName, Seq, Timestamp,
        lifecycle::RESERVED_KIND_WAIT,
    };
    use bytes::Bytes;

    const HOUR_MS: i64 = 3_600_000;

    fn claimed(seq: u64, at_ms: i64, progress: &'static str) -> JobMeta {
        let payload = Payload::new(Bytes::new(), ContentType::from_static("x/y"));
        let new = NewJob::new(JobId::new("a").expect("valid"), Kind::from_static("queue.schedule"), payload);
        let at = Timestamp::from_millis(at_ms);
        let begun = JobMeta::begin(QueueName::from_static("tests"), &new, Seq::new(seq), at);
        let progress = Some(Box::new(Bytes::from_static(progress.as_bytes())));
        JobMeta { claimed_at: Some(at), progress, ..begun }
    }

    /// The moments in milliseconds at which a job is offered that only this program takes.
    fn offers(until_ms: i64) -> Vec<i64> {
        let (waits, mut at) = (UnreadableWaits::default(), 0);
        let mut offers = Vec::new();
        while at < until_ms {
            offers.push(at);
            at += waits.note(&claimed(1, at, "0")).delay.as_millis();
        }
        offers
    }

    #[test]
    fn a_job_is_offered_often_at_first_and_seldom_later() {
        assert!(offers(10_000).len() > 80, "a tick has ten seconds: {}", offers(10_000).len());
        let of_an_hour = offers(HOUR_MS);
        assert!(of_an_hour.len() < 1_000, "{}", of_an_hour.len());
        let [.., before, last] = of_an_hour[..] else { panic!("{of_an_hour:?}") };
        assert_eq!(last - before, RESERVED_KIND_WAIT.as_millis());
    }

    #[test]
    fn times_begin_again_when_another_program_has_moved_the_job_on() {
        let waits = UnreadableWaits::default();
        let delay = |seq, at_ms, progress| waits.note(&claimed(seq, at_ms, progress)).delay;
        assert_eq!(delay(1, 0, "0"), WAIT_MIN);
        assert_eq!(delay(1, HOUR_MS, "0"), RESERVED_KIND_WAIT);
        assert_eq!(delay(1, HOUR_MS, "1"), WAIT_MIN);
        assert_eq!(delay(1, 0, "1"), WAIT_MIN, "the clock goes back");
        assert_eq!(delay(2, HOUR_MS, "0"), WAIT_MIN, "another life");
    }

    #[test]
    fn the_log_names_a_job_once() {
        let waits = UnreadableWaits::default();
        let is_first = |seq, progress| waits.note(&claimed(seq, 0, progress)).is_first;
        assert_eq!([is_first(1, "0"), is_first(1, "1"), is_first(2, "0")], [true, false, true]);
    }

    #[test]
    fn more_jobs_than_are_remembered_wait_for_long_until_others_are_over() {
        let waits = UnreadableWaits::default();
        let delay = |seq, at_ms| waits.note(&claimed(seq, at_ms, "0")).delay;
        let most = REMEMBERED_MAX as u64;
        assert!((1..=most).all(|seq| delay(seq, 0) == WAIT_MIN));
        assert_eq!((delay(1, 0), delay(most + 1, 0)), (WAIT_MIN, RESERVED_KIND_WAIT));
        assert_eq!(delay(most + 1, FORGOTTEN_AFTER.as_millis()), WAIT_MIN);
    }
}
