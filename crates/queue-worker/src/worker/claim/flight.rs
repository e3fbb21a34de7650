//! The call that is in flight for a queue, and the slots that are kept for it.

use std::time::Duration;
use tokio::time::Instant;

/// A claim that takes longer is slow: its queue has no share of what is dealt meanwhile, and others
/// may have its slots.
pub(super) const SLOW: Duration = Duration::from_millis(100);
/// The longest that slots are kept for a claim, however slow its queue usually is.
pub(super) const KEPT_MAX: Duration = Duration::from_secs(5);

/// The one call that may be in flight for a queue, and the slots that are kept for what it brings.
///
/// A claim that is slow may never be answered, so its slots go to other queues, and jobs that it
/// still brings wait among the ready ones. Where jobs are so long that the ready ones are given
/// back, a queue that is always slow would starve. There slots are kept for twice as long as the
/// last claim took.
#[derive(Debug, Default)]
pub(super) struct Flight {
    current: Option<CallInFlight>,
    /// How long the last claim took.
    usual: Duration,
}

#[derive(Clone, Copy, Debug)]
struct CallInFlight {
    slots: usize,
    sent_at: Instant,
}

impl Flight {
    pub(super) fn begin(&mut self, slots: usize, now: Instant) {
        debug_assert!(self.current.is_none(), "a queue has one call in flight");
        self.current = Some(CallInFlight { slots, sent_at: now });
    }

    /// Ends a claim. How long it took says how long the next may take.
    pub(super) fn answered(&mut self, now: Instant) {
        self.usual = self.current.take().map_or(self.usual, |call| now - call.sent_at);
    }

    /// Ends a call that says nothing of claims.
    pub(super) fn ended(&mut self) {
        self.current = None;
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.current.is_some()
    }

    pub(super) fn is_slow(&self, now: Instant) -> bool {
        self.current.is_some_and(|call| now >= call.sent_at + SLOW)
    }

    /// Slots that no other queue may have now. No slot is kept for longer than `kept_max`.
    pub(super) fn kept(&self, now: Instant, kept_max: Duration) -> usize {
        self.current.filter(|call| now < self.kept_until(call, kept_max)).map_or(0, |call| call.slots)
    }

    /// When other queues may have the slots, if that is still to come.
    pub(super) fn lends_at(&self, now: Instant, kept_max: Duration) -> Option<Instant> {
        let call = self.current.filter(|call| call.slots > 0)?;
        Some(self.kept_until(&call, kept_max)).filter(|at| *at > now)
    }

    fn kept_until(&self, call: &CallInFlight, kept_max: Duration) -> Instant {
        call.sent_at + (self.usual * 2).clamp(SLOW, kept_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn slots_are_kept_for_twice_as_long_as_the_last_claim_took_within_bounds() {
        let mut flight = Flight::default();
        let mut now = Instant::now();
        for (takes, kept) in [(1, 100), (2000, 100), (9000, 4000), (50, 5000), (1, 100)] {
            flight.begin(3, now);
            let at = |millis| flight.kept(now + ms(millis), KEPT_MAX);
            assert_eq!((at(kept - 1), at(kept)), (3, 0));
            assert_eq!(flight.lends_at(now, KEPT_MAX), Some(now + ms(kept)));
            assert_eq!(flight.lends_at(now + ms(kept), KEPT_MAX), None, "that was");
            assert_eq!(flight.lends_at(now, SLOW), Some(now + SLOW));
            now += ms(takes);
            flight.answered(now);
        }
    }

    #[test]
    fn a_call_that_brings_no_jobs_teaches_nothing_and_keeps_nothing() {
        let mut flight = Flight::default();
        let now = Instant::now();
        flight.begin(0, now);
        assert_eq!(
            (flight.is_under_way(), flight.kept(now, SLOW), flight.lends_at(now, SLOW)),
            (true, 0, None)
        );
        flight.ended();
        flight.begin(1, now + ms(9000));
        let at = |millis| flight.kept(now + ms(millis), KEPT_MAX);
        assert_eq!((at(9099), at(9100)), (1, 0));
    }
}
