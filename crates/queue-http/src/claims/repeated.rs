//! The claims that were repeated lately.

use queue_core::LeaseToken;
use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};
use tokio::time::Instant;

/// Longer than a request may be on its way: its head has 75 s, and its body 30 s.
pub(super) const KEPT_FOR: Duration = Duration::from_mins(2);
const KEPT_MAX: usize = 20_000;

/// Their tokens, for as long as the claims themselves may still come.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// How often each was repeated.
    counts: HashMap<LeaseToken, usize>,
    oldest_first: VecDeque<(Instant, LeaseToken)>,
}

impl Repeated {
    pub(super) fn has(&self, token: &LeaseToken) -> bool {
        self.counts.contains_key(token)
    }

    pub(super) fn note(&mut self, token: LeaseToken, now: Instant) {
        while self.oldest_first.len() >= KEPT_MAX
            || self.oldest_first.front().is_some_and(|(at, _)| now.duration_since(*at) > KEPT_FOR)
        {
            self.forget_oldest();
        }
        *self.counts.entry(token).or_default() += 1;
        self.oldest_first.push_back((now, token));
    }

    fn forget_oldest(&mut self) {
        let Some((_, token)) = self.oldest_first.pop_front() else { return };
        if let Some(count) = self.counts.get_mut(&token) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT_FOR, KEPT_MAX, Repeated};
    use queue_core::LeaseToken;
    use std::time::Duration;
    use tokio::time::Instant;

    fn token(number: usize) -> LeaseToken {
        LeaseToken::from_bytes((number as u128).to_be_bytes())
    }

    #[test]
    fn what_was_repeated_is_known_for_its_time_and_no_longer() {
        let mut repeated = Repeated::default();
        let start = Instant::now();
        repeated.note(token(1), start);
        repeated.note(token(1), start + KEPT_FOR);
        repeated.note(token(2), start + KEPT_FOR + Duration::from_secs(1));
        assert!(repeated.has(&token(1)), "it was repeated twice");
        repeated.note(token(2), start + KEPT_FOR * 3);
        assert!(!repeated.has(&token(1)) && repeated.has(&token(2)));
    }

    #[test]
    fn however_many_are_repeated_the_room_is_bounded() {
        let mut repeated = Repeated::default();
        let now = Instant::now();
        for number in 0..=KEPT_MAX {
            repeated.note(token(number), now);
        }
        assert_eq!((repeated.counts.len(), repeated.oldest_first.len()), (KEPT_MAX, KEPT_MAX));
        assert!(!repeated.has(&token(0)) && repeated.has(&token(KEPT_MAX)));
    }
}
