//! Keeps the store time of one handle from going back or standing still.

use crate::Timestamp;
use std::time::Duration;

/// While the clock is behind, store time runs slower than real time by one part in this many.
pub(super) const SLOWER_BY: u32 = 64;

/// The store time that one handle knows, so that time neither goes back nor stands still (I24)
/// while the clock is behind a time that was answered before: after a step back of the clock, or a
/// failover to a host whose clock is behind.
///
/// A store decides each step at [`Moment::decide`](crate::Moment::decide)`(mark, clock, floor)`.
/// The mark is stored; the floor comes from this type and is only in memory. The floor runs at
/// 63/64 of real time, slower than any healthy clock, so that the clock catches up with it: a lead
/// of one minute is made up after 64 minutes.
///
/// Floors are computed from a monotonic counter, never from the difference of two wall clocks, so
/// handles whose clocks differ are ahead by no more than the fastest clock. Time in which no handle
/// is open does not count.
///
/// ```
/// use queue_core::{Moment, StoreTime, Timestamp};
/// use std::time::Duration;
///
/// let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
/// let mut time = StoreTime::new(Duration::ZERO);
/// // Once, the clock was ahead.
/// time.note(at(5_000), Duration::from_secs(1));
/// // It is back, and 64 seconds later store time has moved on by 63.
/// let moment = Moment::decide(at(5_000), at(1_064), time.floor(Duration::from_secs(65)));
/// assert_eq!(moment.now, at(5_063));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreTime {
    /// The latest time that this handle learned.
    told: Timestamp,
    /// The reading of the counter when that time was received.
    at: Duration,
}

impl StoreTime {
    /// The state of a handle that has learned no time yet; `ticks` is the present reading of its
    /// monotonic counter.
    pub const fn new(ticks: Duration) -> Self {
        Self { told: Timestamp::from_millis(0), at: ticks }
    }

    /// The earliest time that store time can be at this reading of the counter. A handle computes
    /// it when it sends a call, and passes it along.
    pub fn floor(&self, ticks: Duration) -> Timestamp {
        let measured = i64::try_from(ticks.saturating_sub(self.at).as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(
            self.told.as_millis().saturating_add(measured - measured / i64::from(SLOWER_BY)),
        )
    }

    /// The longest time that `store_time` can take by a monotonic counter: a caller that learned a
    /// time, and has measured this much since, knows that at least `store_time` has passed.
    pub fn longest(store_time: Duration) -> Duration {
        store_time.saturating_add(store_time / (SLOWER_BY - 1))
    }

    /// Notes the time in an answer. Read the counter when the answer is received: a reading from
    /// the time of sending would add the latency of every call.
    ///
    /// A time that is already known changes nothing: a new anchor for each answer would round time
    /// down until it stands still.
    pub fn note(&mut self, now: Timestamp, ticks: Duration) {
        if now > self.floor(ticks) {
            *self = Self { told: now, at: ticks };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Moment, Rng, SeededRng};

    const DAY: i64 = 86_400_000;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn ticks(millis: i64) -> Duration {
        Duration::from_millis(u64::try_from(millis).expect("time goes on"))
    }

    /// A store whose mark every call writes, and whose clock reads `clock` at each millisecond of
    /// real time.
    fn told_after(handles: usize, real_ms: i64, latency_ms: i64, clock: impl Fn(i64) -> i64) -> i64 {
        let rng = SeededRng::new(7);
        let below = |most: i64| i64::try_from(rng.next_u64() % most.unsigned_abs()).expect("small");
        let mut mark = at(0);
        let mut times = vec![StoreTime::new(Duration::ZERO); handles];
        let mut free_at = vec![0; handles];
        let mut under_way: Vec<(i64, i64, usize, Timestamp)> = Vec::new();
        for real in 0..=real_ms {
            for handle in 0..handles {
                if free_at[handle] == real {
                    let (there, back) = (1 + below(latency_ms), 1 + below(latency_ms));
                    free_at[handle] = real + there + back;
                    under_way.push((
                        real + there,
                        real + there + back,
                        handle,
                        times[handle].floor(ticks(real)),
                    ));
                }
            }
            under_way.retain_mut(|(there, back, handle, sent)| {
                if *there == real {
                    let moment = Moment::decide(mark, at(clock(real)), *sent);
                    assert!(moment.now >= mark, "time went back");
                    (mark, *sent) = (moment.now, moment.now);
                }
                if *back == real {
                    times[*handle].note(*sent, ticks(real));
                }
                *back > real
            });
        }
        mark.as_millis()
    }

    #[test]
    fn time_goes_on_at_63_64_of_real_time_while_the_clock_is_behind() {
        for handles in [1, 8] {
            let moved = told_after(handles, 60_000, 20, |real| if real < 50 { DAY } else { real }) - DAY;
            assert!(
                (58_900..=60_000 * 63 / 64).contains(&moved),
                "{handles} handles: {moved} ms of a minute"
            );
        }
    }

    #[test]
    fn a_lead_is_gone_after_64_times_as_long() {
        let lead = 5_000;
        let at_the_end = |real_ms: i64| {
            told_after(2, real_ms, 10, |real| if real < 50 { lead + real } else { real }) - real_ms
        };
        assert!(at_the_end(lead * 60) > 0, "it is not gone before");
        assert!(at_the_end(lead * 66) <= 0, "it is gone after");
    }

    #[test]
    fn a_healthy_clock_rules_whatever_the_oscillators_do() {
        for ppm in [-200, 200] {
            let drifting = |real: i64| real + real * ppm / 1_000_000;
            let lead = told_after(8, 100_000, 10, drifting) - drifting(100_000);
            assert!((-20..=1).contains(&lead), "{ppm} ppm: it leads by {lead} ms");
        }
    }

    #[test]
    fn what_is_known_already_moves_no_anchor() {
        let mut time = StoreTime::new(Duration::ZERO);
        time.note(at(1_000), ticks(0));
        let anchored = time;
        for real in 1..64 {
            let floor = time.floor(ticks(real));
            time.note(floor, ticks(real));
        }
        assert_eq!(time, anchored);
        assert_eq!(time.floor(ticks(64)), at(1_063));
    }

    /// Each handle rounds what it has measured, and a handle that opens again begins a new
    /// measurement.
    #[test]
    fn a_handle_that_opens_anew_is_never_behind_and_at_most_a_millisecond_ahead() {
        let mut kept = StoreTime::new(Duration::ZERO);
        kept.note(at(1_000), ticks(0));
        let mut leads = std::collections::BTreeSet::new();
        for opened in 0..130 {
            let mut fresh = StoreTime::new(ticks(opened));
            fresh.note(kept.floor(ticks(opened)), ticks(opened));
            let lead = |now| fresh.floor(ticks(now)).as_millis() - kept.floor(ticks(now)).as_millis();
            leads.extend((opened..opened + 130).map(lead));
        }
        assert_eq!(leads, [0, 1].into());
    }

    #[test]
    fn a_counter_that_goes_back_and_the_end_of_time_are_borne() {
        let mut time = StoreTime::new(ticks(10));
        time.note(at(i64::MAX - 1), ticks(10));
        assert_eq!(time.floor(ticks(0)), at(i64::MAX - 1));
        assert_eq!(time.floor(ticks(1_000)), at(i64::MAX));
    }
}
