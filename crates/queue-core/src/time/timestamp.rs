//! A moment of store time.

use crate::Span;
use std::{fmt, num::NonZeroU64};

/// A moment of store time: whole milliseconds since the Unix epoch.
///
/// Compare only timestamps of one store. A client uses differences, since its own clock may
/// disagree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Counted from the earliest time that an `i64` holds, which is itself no timestamp, so that an
    /// `Option<Timestamp>` takes no more room than a `Timestamp`.
    since_the_first: NonZeroU64,
}

const FIRST: u64 = i64::MIN.cast_unsigned();

impl Timestamp {
    /// Whether this is a time that does not come, as seen from now: more than half of
    /// [`Span::MAX`] ahead.
    pub fn is_far(self, now: Self) -> bool {
        self.since(now) > Span::MAX.as_duration() / 2
    }

    /// The timestamp of these milliseconds since the Unix epoch. The earliest is a millisecond
    /// after `i64::MIN`.
    pub const fn from_millis(millis: i64) -> Self {
        let since_the_first = match NonZeroU64::new(millis.cast_unsigned().wrapping_sub(FIRST)) {
            Some(since) => since,
            None => NonZeroU64::MIN,
        };
        Self { since_the_first }
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.since_the_first.get().wrapping_add(FIRST).cast_signed()
    }

    /// The time from `earlier` to here, zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> std::time::Duration {
        let millis = self.as_millis().saturating_sub(earlier.as_millis());
        std::time::Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

impl std::ops::Add<Span> for Timestamp {
    type Output = Self;

    fn add(self, span: Span) -> Self {
        Self::from_millis(self.as_millis().saturating_add(span.as_millis()))
    }
}

impl Default for Timestamp {
    fn default() -> Self {
        Self::from_millis(0)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Timestamp").field(&self.as_millis()).finish()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ms", self.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn none_takes_no_room_and_the_order_is_that_of_the_milliseconds() {
        assert_eq!(size_of::<Option<Timestamp>>(), size_of::<i64>());
        let millis = [i64::MIN + 1, -1, 0, 1, 1_700_000_000_000, i64::MAX];
        assert_eq!(millis.map(|millis| Timestamp::from_millis(millis).as_millis()), millis);
        assert!(millis.map(Timestamp::from_millis).is_sorted());
        assert_eq!(Timestamp::from_millis(i64::MIN).as_millis(), i64::MIN + 1);
        assert_eq!(Timestamp::default(), Timestamp::from_millis(0));
        assert_eq!(
            format!("{:?} {}", Timestamp::from_millis(-5), Timestamp::from_millis(7)),
            "Timestamp(-5) 7ms"
        );
    }

    #[test]
    fn sums_stop_at_the_end_of_time_and_differences_at_zero() {
        let (end, start) = (Timestamp::from_millis(i64::MAX), Timestamp::from_millis(i64::MIN));
        assert_eq!(end + Span::MAX, end);
        assert_eq!(start.since(end), Duration::ZERO);
        assert_eq!(end.since(start), Duration::from_millis(u64::try_from(i64::MAX).expect("positive")));
    }
}
