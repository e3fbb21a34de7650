//! How long a case may run: it hangs if it is late and its calls have no answers any more.

use super::OpenCalls;
use std::time::Duration;
use tokio::time::timeout;

/// How long a late case may be without an answer, which also a busy machine gives.
const SILENCE: Duration = Duration::from_secs(30);
/// A case that takes this many times its limit hangs although it gets answers: it repeats itself.
const STEADY_MAX: u32 = 4;

/// The waits for one case, one after the other.
#[derive(Debug)]
pub(crate) struct Deadline<'a> {
    calls: &'a OpenCalls,
    limit: Duration,
    silence: Duration,
    waited: Duration,
    answered: u64,
}

impl<'a> Deadline<'a> {
    /// The deadline of a case with these calls, which is late after the limit.
    pub(crate) fn new(calls: &'a OpenCalls, limit: Duration) -> Self {
        let silence = SILENCE.min(limit / 4);
        Self { calls, limit, silence, waited: Duration::ZERO, answered: calls.answered() }
    }

    /// The deadline of the thread of a case, which comes later: time for opening and cleaning up.
    pub(crate) fn around(calls: &'a OpenCalls, limit: Duration) -> Self {
        let limit = limit + SILENCE;
        Self { silence: limit / 2, ..Self::new(calls, limit) }
    }

    /// When a case is late.
    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// What the case waits for, as the end of a message.
    pub(crate) fn waits_for(&self) -> String {
        self.calls.describe()
    }

    /// How long to wait now; `None` if the case hangs.
    pub(crate) fn wait(&mut self) -> Option<Duration> {
        let answered = std::mem::replace(&mut self.answered, self.calls.answered());
        let is_silent = answered == self.answered;
        if self.waited >= self.limit && (is_silent || self.waited >= STEADY_MAX * self.limit) {
            return None;
        }
        let wait = if self.waited.is_zero() { self.limit.saturating_sub(self.silence) } else { self.silence };
        self.waited += wait;
        Some(wait)
    }

    /// What the case gives; `None` if it hangs.
    pub(crate) async fn of<T>(mut self, case: impl Future<Output = T>) -> Option<T> {
        let mut case = std::pin::pin!(case);
        while let Some(wait) = self.wait() {
            if let Ok(done) = timeout(wait, &mut case).await {
                return Some(done);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{Instant, sleep};

    const LIMIT: Duration = Duration::from_secs(120);

    /// Whether a case with so many calls of ten seconds each comes to its end, and after which time
    /// it does or is ended.
    async fn calls_of_ten_seconds(calls: u32, is_stuck_then: bool) -> (bool, Duration) {
        let (open, begun) = (OpenCalls::default(), Instant::now());
        let case = async {
            for _ in 0..calls {
                let call = open.begin("`claim`".to_owned());
                sleep(Duration::from_secs(10)).await;
                call.answered();
            }
            if is_stuck_then {
                std::future::pending::<()>().await;
            }
        };
        (Deadline::new(&open, LIMIT).of(case).await.is_some(), begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_case_goes_on_while_its_calls_are_answered() {
        assert_eq!(calls_of_ten_seconds(40, false).await, (true, Duration::from_secs(400)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_case_hangs_once_it_is_late_and_has_no_answers() {
        assert_eq!(calls_of_ten_seconds(0, true).await, (false, LIMIT));
        assert_eq!(calls_of_ten_seconds(13, true).await, (false, LIMIT + 2 * SILENCE));
    }

    #[tokio::test(start_paused = true)]
    async fn a_case_that_repeats_itself_is_ended_too() {
        assert_eq!(calls_of_ten_seconds(u32::MAX, false).await, (false, STEADY_MAX * LIMIT));
    }

    #[test]
    fn the_thread_of_a_case_waits_for_longer_than_the_case() {
        let calls = OpenCalls::default();
        let sum = |mut deadline: Deadline<'_>| {
            std::iter::from_fn(|| {
                calls.begin("`get`".to_owned()).answered();
                deadline.wait()
            })
            .sum::<Duration>()
        };
        assert!(sum(Deadline::around(&calls, LIMIT)) >= sum(Deadline::new(&calls, LIMIT)) + SILENCE);
    }
}
