//! Goes through every moment of a stretch of time, and applies the published rule to what the wall
//! clock shows.

use crate::matcher::Matcher;
use jiff::{Timestamp, tz::TimeZone};

const DAY: i64 = 86_400;

/// A stretch of time of one zone, in steps of a minute or of a second.
pub(crate) struct Walk {
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) step: i64,
    /// How far the wall clock is ahead of UTC at each step, in seconds.
    offsets: Vec<i64>,
}

impl Walk {
    /// `from` and `to` in seconds since the Unix epoch.
    pub(crate) fn new(zone: &TimeZone, from: i64, to: i64, step: i64) -> Self {
        let offset = |second: i64| {
            let moment = Timestamp::from_second(second).expect("of this age");
            i64::from(zone.to_offset(moment).seconds())
        };
        let steps = (to - from) / step;
        Self { from, to, step, offsets: (0..steps).map(|index| offset(from + index * step)).collect() }
    }

    /// The moments at which the wall clock is put forward or back.
    pub(crate) fn changes(&self) -> Vec<i64> {
        let steps: Vec<(i64, i64)> = self.steps().collect();
        steps.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1].0).collect()
    }

    /// The moments at which a pattern fires. A pattern that follows real time fires whenever the
    /// wall clock shows one of its times. A pattern of fixed times fires when the clock first shows
    /// one of its times, or first shows a later one.
    pub(crate) fn ticks(&self, matcher: &Matcher) -> Vec<i64> {
        let days = self.days(matcher);
        let first_day = (self.from - 2 * DAY).div_euclid(DAY);
        let fires = |civil: i64| {
            matcher.has_time(civil.rem_euclid(DAY))
                && days[usize::try_from(civil.div_euclid(DAY) - first_day).expect("within the stretch")]
        };
        let mut shown_before = self.from + self.offsets[0];
        let mut ticks = Vec::new();
        for (second, offset) in self.steps() {
            let civil = second + offset;
            let mut is_tick = matcher.is_interval && fires(civil);
            while !matcher.is_interval && shown_before <= civil {
                is_tick |= fires(shown_before);
                shown_before += self.step;
            }
            if is_tick {
                ticks.push(second);
            }
        }
        ticks
    }

    fn days(&self, matcher: &Matcher) -> Vec<bool> {
        let (first, last) = ((self.from - 2 * DAY).div_euclid(DAY), (self.to + 2 * DAY).div_euclid(DAY));
        (first..=last).map(|day| matcher.has_day(day)).collect()
    }

    fn steps(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.offsets.iter().scan(self.from, |second, offset| {
            let step = (*second, *offset);
            *second += self.step;
            Some(step)
        })
    }
}
