use super::{RateLimit, token_bucket::TokenBucket};
use crate::worker::later::later;
use queue_core::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// The rate limit of one kind. A job that is over it joins a line, and is put back for exactly as long as its turn takes,
/// so that in a line each job is put back once and they come back in order.
///
/// Turns are a plan; what counts is the bucket, which is asked at each start. Jobs that are late for their turn, because no
/// handler was free, may so find no token and join the line again at its end.
#[derive(Debug)]
pub(super) struct KindRate {
    bucket: TokenBucket,
    line: Option<Line>,
    /// When the last of those that were put back returns.
    returns_until: Option<Instant>,
}

/// The jobs that were put back and have not had their turn.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// When it formed, as the store counts time: a job that was due before is not out of it.
    since: Timestamp,
    /// The turn of the first in it.
    first: Instant,
    /// The turn of the last in it.
    last: Instant,
}

/// A line is no longer than this, or one interval if that is longer. Who comes later is asked to come again then: so
/// workers that are free find what they may start, and a worker that dies has sent nothing far away.
const LINE_MAX: Duration = Duration::from_secs(60);

/// Whoever is this late for its turn, or one interval if that is shorter, has it taken by others: it may have gone to
/// another worker, or be behind many that were due before.
const LATE: Duration = Duration::from_secs(1);

impl KindRate {
    pub(super) fn new(limit: &RateLimit, now: Instant) -> Self {
        Self { bucket: TokenBucket::new(limit, now), line: None, returns_until: None }
    }

    /// Starts a job, or answers how long to put it back. `run_at` is since when it was due, `seen_at` when it was
    /// claimed, both as the store counts time.
    pub(super) fn admit(
        &mut self,
        run_at: Timestamp,
        seen_at: Timestamp,
        now: Instant,
    ) -> Result<(), Duration> {
        self.line = self.line.filter(|line| line.last >= now);
        let interval = self.bucket.interval();
        let is_behind = |line: &Line| run_at <= line.since && now <= later(line.first, interval.min(LATE));
        if self.line.as_ref().is_some_and(is_behind) || !self.bucket.take(now) {
            return Err(self.join_line(seen_at, now));
        }
        if let Some(line) = &mut self.line {
            line.first = later(line.first, interval);
        }
        Ok(())
    }

    /// For how long jobs that were put back may still return, give or take the time of their settle.
    pub(super) fn returning_for(&self, now: Instant) -> Duration {
        self.returns_until.map_or(Duration::ZERO, |at| later(at, LATE).saturating_duration_since(now))
    }

    fn join_line(&mut self, seen_at: Timestamp, now: Instant) -> Duration {
        let next_token = self.bucket.wait_for(1, now).unwrap_or(Duration::MAX);
        let behind =
            self.line.map(|line| later(line.last, self.bucket.interval()).saturating_duration_since(now));
        let turn = next_token.max(behind.unwrap_or_default());
        let wait = if turn > LINE_MAX.max(next_token) {
            LINE_MAX
        } else {
            let (last, line) = (later(now, turn), self.line);
            let (since, first) = line.map_or((seen_at, last), |line| (line.since, line.first));
            self.line = Some(Line { since, first, last });
            turn
        };
        self.returns_until = self.returns_until.max(Some(later(now, wait)));
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A limit of one per second, at the start of both clocks.
    struct Kind {
        rate: KindRate,
        began: Instant,
    }

    impl Kind {
        fn new() -> Self {
            let began = Instant::now();
            Self { rate: KindRate::new(&RateLimit::per_second(1), began), began }
        }

        /// A job that was due at one time is there at another, both in milliseconds.
        fn admit(&mut self, due_ms: i64, now_ms: u64) -> Result<(), Duration> {
            let seen_at = Timestamp::from_millis(i64::try_from(now_ms).unwrap());
            let now = self.began + Duration::from_millis(now_ms);
            self.rate.admit(Timestamp::from_millis(due_ms), seen_at, now)
        }
    }

    #[test]
    fn each_job_over_the_rate_gets_a_turn_of_its_own() {
        let mut kind = Kind::new();
        let answers: Vec<_> = (0..4).map(|_| kind.admit(0, 0)).collect();
        assert_eq!(answers, [Ok(()), Err(SECOND), Err(2 * SECOND), Err(3 * SECOND)]);
        assert_eq!([1000, 2000, 3000].map(|turn| kind.admit(turn, turn.unsigned_abs())), [Ok(()); 3]);
    }

    #[test]
    fn a_job_that_was_due_before_the_line_formed_goes_to_its_end() {
        let mut kind = Kind::new();
        assert_eq!((kind.admit(-5, 0), kind.admit(-5, 0)), (Ok(()), Err(SECOND)));
        // The token of this moment is for the one that is about to return.
        assert_eq!((kind.admit(-5, 1000), kind.admit(1000, 1000)), (Err(SECOND), Ok(())));
        assert_eq!(kind.admit(2000, 2000), Ok(()));
    }

    #[test]
    fn a_turn_that_nobody_takes_is_taken_by_the_next() {
        let mut kind = Kind::new();
        assert_eq!(
            (kind.admit(0, 0), kind.admit(0, 0), kind.admit(0, 0)),
            (Ok(()), Err(SECOND), Err(2 * SECOND))
        );
        kind.admit(0, 10).unwrap_err();
        // The first of them is two seconds late.
        assert_eq!(kind.admit(0, 2500), Ok(()));
    }

    #[test]
    fn a_line_that_has_passed_holds_up_nobody() {
        let mut kind = Kind::new();
        assert_eq!((kind.admit(0, 0), kind.admit(0, 0)), (Ok(()), Err(SECOND)));
        assert_eq!(kind.admit(0, 1001), Ok(()));
    }

    #[test]
    fn behind_a_minute_of_others_a_job_comes_again_in_a_minute() {
        let mut kind = Kind::new();
        let waits: Vec<_> = (0..100).map(|_| kind.admit(0, 0)).collect();
        assert_eq!((waits[60], waits[61], waits[99]), (Err(60 * SECOND), Err(60 * SECOND), Err(60 * SECOND)));
        assert_eq!(kind.rate.returning_for(kind.began), 60 * SECOND + LATE);
        assert_eq!(kind.rate.returning_for(kind.began + 70 * SECOND), Duration::ZERO);
    }
}
