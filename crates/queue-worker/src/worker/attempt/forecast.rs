//! How many jobs are worth holding ready.

use crate::worker::setup::prefetch::READY_MAX;
use std::time::Duration;
use tokio::time::Instant;

/// Most payload bytes held ready, by the size of the payloads of the last claim.
const READY_BYTES_MAX: u64 = 16 << 20;

/// The estimate rests on the jobs of about this many rounds of all handlers, and on no fewer jobs
/// than this.
const ROUNDS: u64 = 2;
const JOBS_MIN: u64 = 32;

/// Estimates how many jobs the handlers get through in a short while, which is how many to hold
/// ready.
///
/// By Little's law, the mean time for which a job occupies a handler is the time for which all
/// handlers were occupied, divided by the number of jobs that left them. The law makes no
/// assumption about what handlers wait for, such as a processor that they share, and jobs that
/// still run count with the time they have taken so far. So the estimate follows at once when jobs
/// become slow, and idle time does not change it.
///
/// The allowance grows by doubling, one step with each claim, since the first jobs may not be like
/// the rest, and shrinks at once. The type is pure: every reading of the clock is passed in.
#[derive(Debug)]
pub(crate) struct Forecast {
    handlers: usize,
    horizon: Duration,
    /// Handlers that are busy now.
    taken: usize,
    /// Until when their time is counted.
    at: Instant,
    /// For how long handlers were busy, summed.
    taken_nanos: u128,
    /// How many jobs left them in that time.
    handled: u64,
    /// How far the allowance has grown.
    grown: usize,
    /// Most ready jobs whose payloads keep within their bound.
    by_size: usize,
}

impl Forecast {
    /// An estimate for this many handlers: what they get through within the horizon.
    pub(crate) fn new(handlers: usize, horizon: Duration, now: Instant) -> Self {
        Self {
            handlers,
            horizon,
            taken: 0,
            at: now,
            taken_nanos: 0,
            handled: 0,
            grown: 0,
            by_size: READY_MAX,
        }
    }

    /// Notes that this many handlers are busy from now on.
    pub(crate) fn take(&mut self, taken: usize, now: Instant) {
        self.count_time(now);
        self.taken = taken;
    }

    /// Notes that a job left its handler.
    pub(crate) fn handled(&mut self) {
        self.handled += 1;
    }

    /// Notes that a claim brought jobs with this many bytes of payload altogether.
    pub(crate) fn claimed(&mut self, jobs: usize, bytes: u64, now: Instant) {
        let size = bytes.div_ceil(u64::try_from(jobs).unwrap_or(1).max(1)).max(1);
        self.by_size = usize::try_from(READY_BYTES_MAX / size).unwrap_or(READY_MAX).min(READY_MAX);
        self.count_time(now);
        self.grown = self.ready(now).saturating_mul(2).saturating_add(self.handlers).min(READY_MAX);
        self.forget();
    }

    /// Notes that a job was held ready for too long: the estimate was wrong, and begins again.
    pub(crate) fn was_wrong(&mut self, now: Instant) {
        self.count_time(now);
        self.taken_nanos = 0;
        self.handled = 0;
        self.grown = 0;
    }

    /// How many jobs may be held ready.
    pub(crate) fn ready(&self, now: Instant) -> usize {
        if self.handled == 0 {
            return 0;
        }
        let time_of_all = self.horizon.as_nanos().saturating_mul(self.handlers as u128);
        let within_horizon =
            time_of_all.saturating_mul(self.handled.into()) / self.taken_nanos_at(now).max(1);
        let within_horizon = usize::try_from(within_horizon).unwrap_or(usize::MAX);
        within_horizon.min(self.grown).min(self.by_size)
    }

    fn count_time(&mut self, now: Instant) {
        self.taken_nanos = self.taken_nanos_at(now);
        self.at = self.at.max(now);
    }

    fn taken_nanos_at(&self, now: Instant) -> u128 {
        let passed = now.saturating_duration_since(self.at).as_nanos();
        self.taken_nanos.saturating_add(passed.saturating_mul(self.taken as u128))
    }

    /// Keeps the mean, with the weight of the last rounds alone.
    fn forget(&mut self) {
        let keep = JOBS_MIN.max(ROUNDS.saturating_mul(self.handlers as u64));
        if self.handled > keep {
            self.taken_nanos = self.taken_nanos * u128::from(keep) / u128::from(self.handled);
            self.handled = keep;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HORIZON: Duration = Duration::from_millis(100);

    /// Handlers at work, and the clock that they work by.
    struct Crew {
        forecast: Forecast,
        handlers: usize,
        now: Instant,
    }

    impl Crew {
        fn of(handlers: usize) -> Self {
            let now = Instant::now();
            Self { forecast: Forecast::new(handlers, HORIZON, now), handlers, now }
        }

        /// Every handler does this many jobs, each of this length, and a claim of as many small
        /// ones follows.
        fn rounds(&mut self, rounds: usize, each: Duration) -> usize {
            for _ in 0..rounds {
                self.run(self.handlers, each);
                (0..self.handlers).for_each(|_| self.forecast.handled());
                self.forecast.claimed(self.handlers, 100, self.now);
            }
            self.ready()
        }

        /// Takes this many handlers for this long.
        fn run(&mut self, handlers: usize, length: Duration) {
            self.forecast.take(handlers, self.now);
            self.now += length;
            self.forecast.take(0, self.now);
        }

        fn ready(&self) -> usize {
            self.forecast.ready(self.now)
        }
    }

    fn micros(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    #[test]
    fn nothing_is_held_ready_before_a_job_is_done() {
        assert_eq!(Crew::of(64).ready(), 0);
        let mut crew = Crew::of(64);
        crew.forecast.claimed(64, 6400, crew.now);
        assert_eq!(crew.ready(), 0);
    }

    #[test]
    fn as_many_are_held_ready_as_all_handlers_get_through_in_the_horizon() {
        for (handlers, each_ms, ready) in
            [(1, 1, 100), (4, 10, 40), (64, 100, 64), (64, 10_000, 0), (64, 6400, 1)]
        {
            let each = Duration::from_millis(each_ms);
            assert_eq!(Crew::of(handlers).rounds(20, each), ready, "{handlers} of {each:?}");
        }
    }

    #[test]
    fn however_quick_they_are_it_grows_by_doubling_and_no_further_than_the_bound() {
        let mut crew = Crew::of(64);
        let grown: Vec<usize> = (0..8).map(|_| crew.rounds(1, micros(1))).collect();
        assert_eq!(grown, [64, 192, 448, 960, 1984, READY_MAX, READY_MAX, READY_MAX]);
    }

    #[test]
    fn jobs_that_become_slow_are_noticed_before_any_of_them_ends() {
        let mut crew = Crew::of(64);
        assert_eq!(crew.rounds(100, micros(10)), READY_MAX);
        crew.run(64, HORIZON);
        // A hundred milliseconds of 64 handlers, for the 128 jobs remembered.
        assert!((120..=130).contains(&crew.ready()), "{}", crew.ready());
        crew.run(64, 10 * HORIZON);
        assert!((10..=12).contains(&crew.ready()), "{}", crew.ready());
    }

    #[test]
    fn slow_jobs_are_forgotten_after_some_rounds_of_quick_ones() {
        let mut crew = Crew::of(8);
        assert_eq!(crew.rounds(10, Duration::from_secs(10)), 0);
        assert_eq!(crew.rounds(100, micros(1)), READY_MAX);
    }

    #[test]
    fn handlers_that_share_a_processor_count_with_the_time_they_wait_for_it() {
        let mut crew = Crew::of(64);
        for _ in 0..1000 {
            // One of them ends each millisecond.
            crew.run(64, Duration::from_millis(1));
            crew.forecast.handled();
            crew.forecast.claimed(1, 100, crew.now);
        }
        assert!((98..=102).contains(&crew.ready()), "{}", crew.ready());
    }

    #[test]
    fn idle_time_changes_nothing() {
        let mut crew = Crew::of(4);
        let before = crew.rounds(20, Duration::from_millis(1));
        crew.now += Duration::from_secs(32_400);
        assert_eq!((before, crew.ready()), (400, 400));
    }

    #[test]
    fn large_payloads_are_held_by_their_bytes() {
        let mut crew = Crew::of(4);
        crew.rounds(20, micros(1));
        crew.forecast.claimed(3, 3 << 20, crew.now);
        assert_eq!(crew.ready(), 16);
        crew.forecast.claimed(1, u64::MAX, crew.now);
        assert_eq!(crew.ready(), 0);
        crew.forecast.claimed(0, 0, crew.now);
        crew.rounds(20, micros(1));
        assert_eq!(crew.ready(), READY_MAX, "nor does it stay so");
    }

    #[test]
    fn after_a_mistake_it_begins_anew() {
        let mut crew = Crew::of(4);
        crew.rounds(20, micros(1));
        crew.forecast.was_wrong(crew.now);
        assert_eq!(crew.ready(), 0);
        assert_eq!(crew.rounds(1, micros(1)), 4);
    }
}
