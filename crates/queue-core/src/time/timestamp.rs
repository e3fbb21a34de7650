use crate::Span;
use std::fmt;

/// A moment on a store's clock: whole milliseconds since the Unix epoch.
///
/// Compare timestamps of one store only; a client uses differences, since its own clock may disagree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The time from `earlier` to here, zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> std::time::Duration {
        let millis = self.0.saturating_sub(earlier.0);
        std::time::Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

impl std::ops::Add<Span> for Timestamp {
    type Output = Self;

    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.as_millis()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ms", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn sums_stop_at_the_end_of_time_and_differences_at_zero() {
        let (end, start) = (Timestamp::from_millis(i64::MAX), Timestamp::from_millis(i64::MIN));
        assert_eq!(end + Span::MAX, end);
        assert_eq!(start.since(end), Duration::ZERO);
        assert_eq!(end.since(start), Duration::from_millis(u64::try_from(i64::MAX).expect("positive")));
    }
}
