//! The rate limit of one kind.

use super::{RateLimit, token_bucket::TokenBucket};
use crate::worker::deadline;
use queue_core::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// The rate limit of one kind. A job over the limit joins a line, and is put back until its turn.
/// So each job in a line is put back once, and they come back in order.
///
/// Turns are only a plan. The bucket decides, and is asked at each start. A job that is late for
/// its turn, because no handler was free, may find no token and join the line again at its end.
#[derive(Debug)]
pub(super) struct KindRate {
    bucket: TokenBucket,
    line: Option<PutBackLine>,
    /// When the last of those that were put back returns.
    returns_until: Option<Instant>,
}

/// The jobs that were put back and have not had their turn.
#[derive(Clone, Copy, Debug)]
struct PutBackLine {
    /// When the line formed, as the store counts time. A job that was due before that does not come
    /// out of the line.
    since: Timestamp,
    /// The turn of the first in it.
    first: Instant,
    /// The turn of the last in it.
    last: Instant,
}

/// When a job of a kind may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worker) enum KindTurn {
    /// The job starts now, and is counted.
    Now,
    /// The kind is over its rate: the job is put back for this long.
    After(Duration),
}

/// A line is no longer than this, or one interval if that is longer. A job that comes later is put
/// back for this long. So free workers find jobs that they may start, and a worker that dies has
/// put no job off for long.
const LINE_MAX: Duration = Duration::from_secs(60);

/// A job that is this late for its turn, or one interval if that is shorter, loses it to others:
/// the job may have gone to another worker, or be behind many that were due before.
const LATE: Duration = Duration::from_secs(1);

impl KindRate {
    pub(super) fn new(limit: &RateLimit, now: Instant) -> Self {
        Self { bucket: TokenBucket::new(limit, now), line: None, returns_until: None }
    }

    /// Starts a job if it is its turn. `run_at` is since when it was due,
    /// `seen_at` when it was claimed, both as the store counts time.
    pub(super) fn start(&mut self, run_at: Timestamp, seen_at: Timestamp, now: Instant) -> KindTurn {
        self.line = self.line.filter(|line| line.last >= now);
        let interval = self.bucket.interval();
        let is_behind = |line: &PutBackLine| {
            run_at <= line.since && now <= deadline::after(line.first, interval.min(LATE))
        };
        if self.line.as_ref().is_some_and(is_behind) || !self.bucket.take(now) {
            return KindTurn::After(self.join_line(seen_at, now));
        }
        if let Some(line) = &mut self.line {
            line.first = deadline::after(line.first, interval);
        }
        KindTurn::Now
    }

    /// For how long jobs that were put back may still return, apart from the time that their
    /// settles take.
    pub(super) fn returning_for(&self, now: Instant) -> Duration {
        self.returns_until
            .map_or(Duration::ZERO, |at| deadline::after(at, LATE).saturating_duration_since(now))
    }

    /// Gives a job the turn behind the last of the line, and answers for how long to put it back.
    fn join_line(&mut self, seen_at: Timestamp, now: Instant) -> Duration {
        let next_token = self.bucket.wait_for(1, now).unwrap_or(Duration::MAX);
        let last_turn = self.line.map(|line| deadline::after(line.last, self.bucket.interval()));
        let behind_last = last_turn.map(|at| at.saturating_duration_since(now)).unwrap_or_default();
        let turn = next_token.max(behind_last);
        let wait = if turn > LINE_MAX.max(next_token) {
            LINE_MAX
        } else {
            let last = deadline::after(now, turn);
            let (since, first) = self.line.map_or((seen_at, last), |line| (line.since, line.first));
            self.line = Some(PutBackLine { since, first, last });
            turn
        };
        self.returns_until = self.returns_until.max(Some(deadline::after(now, wait)));
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::{
        KindTurn::{After, Now},
        *,
    };

    const SECOND: Duration = Duration::from_secs(1);

    /// A limit of one per second, at the start of both clocks.
    struct LimitedKind {
        rate: KindRate,
        began: Instant,
    }

    impl LimitedKind {
        fn new() -> Self {
            let began = Instant::now();
            Self { rate: KindRate::new(&RateLimit::per_second(1), began), began }
        }

        /// A job that was due at one time is there at another, both in milliseconds.
        fn start(&mut self, due_ms: i64, now_ms: u64) -> KindTurn {
            let seen_at = Timestamp::from_millis(i64::try_from(now_ms).unwrap());
            let now = self.began + Duration::from_millis(now_ms);
            self.rate.start(Timestamp::from_millis(due_ms), seen_at, now)
        }
    }

    #[test]
    fn each_job_over_the_rate_gets_a_turn_of_its_own() {
        let mut kind = LimitedKind::new();
        let answers: Vec<_> = (0..4).map(|_| kind.start(0, 0)).collect();
        assert_eq!(answers, [Now, After(SECOND), After(2 * SECOND), After(3 * SECOND)]);
        assert_eq!([1000, 2000, 3000].map(|turn| kind.start(turn, turn.unsigned_abs())), [Now; 3]);
    }

    #[test]
    fn a_job_that_was_due_before_the_line_formed_goes_to_its_end() {
        let mut kind = LimitedKind::new();
        assert_eq!((kind.start(-5, 0), kind.start(-5, 0)), (Now, After(SECOND)));
        // The token of this moment is for the one that is about to return.
        assert_eq!((kind.start(-5, 1000), kind.start(1000, 1000)), (After(SECOND), Now));
        assert_eq!(kind.start(2000, 2000), Now);
    }

    #[test]
    fn a_turn_that_nobody_takes_is_taken_by_the_next() {
        let mut kind = LimitedKind::new();
        assert_eq!(
            (kind.start(0, 0), kind.start(0, 0), kind.start(0, 0)),
            (Now, After(SECOND), After(2 * SECOND))
        );
        assert!(matches!(kind.start(0, 10), After(_)));
        // The first of them is two seconds late.
        assert_eq!(kind.start(0, 2500), Now);
    }

    #[test]
    fn a_line_that_has_passed_holds_up_nobody() {
        let mut kind = LimitedKind::new();
        assert_eq!((kind.start(0, 0), kind.start(0, 0)), (Now, After(SECOND)));
        assert_eq!(kind.start(0, 1001), Now);
    }

    #[test]
    fn behind_a_minute_of_others_a_job_comes_again_in_a_minute() {
        let mut kind = LimitedKind::new();
        let waits: Vec<_> = (0..100).map(|_| kind.start(0, 0)).collect();
        assert_eq!(
            (waits[60], waits[61], waits[99]),
            (After(60 * SECOND), After(60 * SECOND), After(60 * SECOND))
        );
        assert_eq!(kind.rate.returning_for(kind.began), 60 * SECOND + LATE);
        assert_eq!(kind.rate.returning_for(kind.began + 70 * SECOND), Duration::ZERO);
    }
}
