//! The pause of a queue or of a kind.

use crate::{Error, Kind, Result, Timestamp};

/// For how long claims are stopped.
///
/// A pause with an end is over by the time of the store, without a resume and without a process
/// that is there.
///
/// ```
/// use queue_core::{Pause, Timestamp};
///
/// let pause = Pause::Until(Timestamp::from_millis(1_000));
/// assert!(pause.at(Timestamp::from_millis(999)).is_on());
/// assert_eq!(pause.at(Timestamp::from_millis(1_000)), Pause::Off);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pause {
    /// Claims go on.
    #[default]
    Off,
    /// Claims are stopped before this time, and go on from this millisecond on.
    Until(Timestamp),
    /// Claims are stopped until a resume.
    UntilResumed,
}

/// A kind whose jobs are not claimed from a queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PausedKind {
    /// The kind.
    pub kind: Kind,
    /// For how long; never [`Off`](Pause::Off) in an answer.
    pub pause: Pause,
}

impl PausedKind {
    /// The most kinds that are paused in a queue at once. A kind that was resumed counts until its
    /// jobs that claims have set aside are claimed.
    pub const KINDS_MAX: usize = 32;

    /// The most jobs of paused kinds that one claim sets aside.
    pub const SET_ASIDE_MAX: usize = 1_000;

    /// Refuses one more kind for a queue that has this many.
    ///
    /// # Errors
    /// `Invalid` if there are [`KINDS_MAX`](Self::KINDS_MAX) already.
    pub fn check_room(kinds: usize) -> Result<()> {
        if kinds < Self::KINDS_MAX {
            return Ok(());
        }
        let max = Self::KINDS_MAX;
        let message = format!(
            "at most {max} kinds of a queue are paused at once, or have jobs left that were set aside"
        );
        Err(Error::invalid("set_paused", message))
    }
}

impl Pause {
    /// The number of a pause without an end: a time that no store reaches, below 2^48, so that it
    /// takes six bytes and is exact as a floating-point number.
    const ENDLESS: i64 = (1 << 48) - 1;

    /// What is left of the pause at this time: nothing once it is over.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        if self.until().is_some_and(|until| until <= now) { Self::Off } else { self }
    }

    /// Whether claims are stopped. For a pause that a store answers this is the state at the time
    /// of the answer.
    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }

    /// When the pause is over by itself; `None` if it has no end, or if there is no pause.
    pub const fn until(self) -> Option<Timestamp> {
        match self {
            Self::Until(at) => Some(at),
            Self::Off | Self::UntilResumed => None,
        }
    }

    /// The number that stores write: the time of the end in milliseconds, 0 for no pause, and
    /// 2^48 - 1 for a pause without an end. Claims are stopped while it is above the time.
    pub const fn as_millis(self) -> i64 {
        match self {
            Self::Off => 0,
            Self::Until(at) if at.as_millis() < 0 => 0,
            Self::Until(at) if at.as_millis() > Self::ENDLESS => Self::ENDLESS,
            Self::Until(at) => at.as_millis(),
            Self::UntilResumed => Self::ENDLESS,
        }
    }

    /// The pause of a stored number.
    pub const fn from_millis(millis: i64) -> Self {
        match millis {
            ..=0 => Self::Off,
            Self::ENDLESS.. => Self::UntilResumed,
            _ => Self::Until(Timestamp::from_millis(millis)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_comes_back_from_its_number() {
        let at = Pause::Until(Timestamp::from_millis(7));
        for pause in [Pause::Off, at, Pause::UntilResumed] {
            assert_eq!(Pause::from_millis(pause.as_millis()), pause);
        }
        assert_eq!(Pause::from_millis(i64::MIN), Pause::Off);
        assert_eq!(Pause::from_millis(i64::MAX), Pause::UntilResumed);
    }

    #[test]
    fn a_number_stops_claims_while_it_is_above_the_time() {
        for now in [0, 6, 7, 8] {
            let now = Timestamp::from_millis(now);
            for pause in [Pause::Off, Pause::Until(Timestamp::from_millis(7)), Pause::UntilResumed] {
                assert_eq!(pause.at(now).is_on(), pause.as_millis() > now.as_millis(), "{pause:?} {now}");
            }
        }
    }
}
