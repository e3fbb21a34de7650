//! The rate limit of one queue.

use super::{RateLimit, token_bucket::TokenBucket};
use parking_lot::{Mutex, MutexGuard};
use std::{sync::Arc, time::Duration};
use tokio::{sync::Notify, time::Instant};

/// The rate limit of one queue of a worker. A claim reserves the starts that it may lead to, so
/// that there is a token for each job that is held and has not started: it can start as soon as a
/// handler is free.
#[derive(Debug)]
pub(in crate::worker) struct QueueRate {
    tokens: Mutex<Tokens>,
    /// Fires when a reservation ends. Then more may be claimed, or it is known when.
    freed: Arc<Notify>,
}

#[derive(Debug)]
struct Tokens {
    bucket: TokenBucket,
    /// Never more than the bucket holds. The bucket only fills meanwhile, so reserved tokens stay
    /// in it.
    reserved: u64,
}

/// The right to start this many jobs. Starts that are dropped unused are free again.
#[derive(Debug)]
pub(in crate::worker) struct Reservation {
    rate: Arc<QueueRate>,
    starts: u64,
}

impl QueueRate {
    pub(in crate::worker) fn new(limit: &RateLimit, freed: Arc<Notify>, now: Instant) -> Self {
        Self { tokens: Mutex::new(Tokens { bucket: TokenBucket::new(limit, now), reserved: 0 }), freed }
    }

    /// How many jobs may be claimed now.
    pub(in crate::worker) fn room(&self, now: Instant) -> usize {
        self.lock().room(now)
    }

    /// How long until there is room for a job; `None` if that takes a start first.
    pub(in crate::worker) fn wait_for_room(&self, now: Instant) -> Option<Duration> {
        let tokens = self.lock();
        let wanted = tokens.reserved + 1;
        tokens.bucket.wait_for(wanted, now)
    }

    /// Reserves as many starts as there is room for, at most `most`.
    pub(in crate::worker) fn reserve(self: &Arc<Self>, most: usize, now: Instant) -> Reservation {
        let mut tokens = self.lock();
        let starts = tokens.room(now).min(most) as u64;
        tokens.reserved += starts;
        Reservation { rate: self.clone(), starts }
    }

    /// Ends a reservation. Starts that were used take their tokens out of the bucket.
    fn end(&self, starts: u64, taken_at: Option<Instant>) {
        let mut tokens = self.lock();
        tokens.reserved -= starts;
        if let Some(now) = taken_at {
            let had_token = tokens.bucket.take(now);
            debug_assert!(had_token, "it was reserved");
        }
        drop(tokens);
        self.freed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Tokens> {
        self.tokens.lock()
    }
}

impl Tokens {
    fn room(&self, now: Instant) -> usize {
        let room = self.bucket.level(now).saturating_sub(self.reserved);
        usize::try_from(room).unwrap_or(usize::MAX)
    }
}

impl Reservation {
    /// How many starts the reservation is for.
    pub(in crate::worker) fn starts(&self) -> usize {
        usize::try_from(self.starts).unwrap_or(usize::MAX)
    }

    /// Takes one start out of the reservation.
    pub(in crate::worker) fn split_one(&mut self) -> Option<Self> {
        self.starts = self.starts.checked_sub(1)?;
        Some(Self { rate: self.rate.clone(), starts: 1 })
    }

    /// Uses the reservation: the jobs start now.
    pub(in crate::worker) fn start(mut self, now: Instant) {
        for _ in 0..std::mem::take(&mut self.starts) {
            self.rate.end(1, Some(now));
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.starts > 0 {
            self.rate.end(self.starts, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(starts: u32, burst: u32) -> (Arc<QueueRate>, Instant) {
        let now = Instant::now();
        (Arc::new(QueueRate::new(&RateLimit::per_second(starts).burst(burst), Arc::default(), now)), now)
    }

    #[test]
    fn what_is_reserved_is_not_given_twice_and_what_is_not_used_is_free_again() {
        let (rate, now) = rate(1, 3);
        let reserved = rate.reserve(2, now);
        assert_eq!((reserved.starts(), rate.room(now)), (2, 1));
        assert_eq!(rate.reserve(9, now).starts(), 1);
        drop(reserved);
        assert_eq!(rate.room(now), 3);
    }

    #[test]
    fn a_reservation_can_be_used_whenever_a_handler_is_free() {
        let (rate, now) = rate(1, 2);
        let mut reserved = rate.reserve(2, now);
        let later = now + Duration::from_secs(100);
        assert_eq!(
            (rate.room(later), rate.wait_for_room(later)),
            (0, None),
            "the bucket is full and all reserved"
        );
        reserved.split_one().expect("there are two").start(later);
        assert_eq!((rate.room(later), rate.wait_for_room(later)), (0, Some(Duration::from_secs(1))));
        reserved.start(later);
        assert_eq!(rate.room(later + Duration::from_secs(1)), 1);
    }

    #[tokio::test]
    async fn the_end_of_a_reservation_is_told() {
        let freed = Arc::new(Notify::new());
        let now = Instant::now();
        let rate = Arc::new(QueueRate::new(&RateLimit::per_second(1), freed.clone(), now));
        drop(rate.reserve(1, now));
        freed.notified().await;
        rate.reserve(1, now).start(now);
        freed.notified().await;
    }
}
