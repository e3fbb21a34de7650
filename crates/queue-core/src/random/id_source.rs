//! The source of generated job ids: UUIDs of version 7, in the order of their creation.

use crate::{Clock, JobId, Rng, SystemClock, SystemRng, Timestamp};
use std::{
    fmt::Debug,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// The source of generated job ids.
pub trait IdSource: Debug + Send + Sync + 'static {
    /// A fresh id, which was never returned before.
    fn next_id(&self) -> JobId;
}

/// UUID version 7 (RFC 9562) as 32 lower-case hexadecimal characters.
///
/// Ids of one source sort in the order in which they were made, which keeps index writes of a store
/// close together. The 12 bits after the timestamp and the top bits of the tail are a counter.
#[derive(Debug)]
pub struct TimeOrderedIds {
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
    /// Milliseconds (48 bits) and a counter (16 bits) of the last id.
    last: AtomicU64,
}

impl TimeOrderedIds {
    /// A source with this clock and this generator.
    pub fn new(clock: Arc<dyn Clock>, rng: Arc<dyn Rng>) -> Self {
        Self { clock, rng, last: AtomicU64::new(0) }
    }

    /// The next pair of milliseconds and counter. It is always larger than the last one, also after
    /// the clock stepped back.
    fn next_tick(&self) -> u64 {
        let reading = millis_48(self.clock.now()) << 16;
        let next = |last: u64| reading.max(last + 1);
        let previous = self.last.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |last| Some(next(last)));
        next(previous.expect("the closure always answers"))
    }
}

impl Default for TimeOrderedIds {
    fn default() -> Self {
        Self::new(Arc::new(SystemClock), Arc::new(SystemRng))
    }
}

impl IdSource for TimeOrderedIds {
    fn next_id(&self) -> JobId {
        let tick = self.next_tick();
        let (millis, counter) = (u128::from(tick >> 16), u128::from(tick & 0xFFFF));
        let tail = u128::from(self.rng.next_u64() & ((1 << 58) - 1));
        let uuid = (millis << 80)
            | (0x7 << 76)
            | ((counter >> 4) << 64)
            | (0b10 << 62)
            | ((counter & 0xF) << 58)
            | tail;
        JobId::new(format!("{uuid:032x}")).expect("32 hexadecimal characters are a valid id")
    }
}

fn millis_48(now: Timestamp) -> u64 {
    u64::try_from(now.as_millis()).unwrap_or(0) & 0xFFFF_FFFF_FFFF
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ManualClock, SeededRng};

    #[test]
    fn ids_are_version_seven_and_sort_in_order_even_when_the_clock_steps_back() {
        let clock = Arc::new(ManualClock::default());
        let ids = TimeOrderedIds::new(clock.clone(), Arc::new(SeededRng::new(1)));
        let mut made = Vec::new();
        for _ in 0..70_000 {
            made.push(ids.next_id());
        }
        clock.set(Timestamp::from_millis(5));
        made.push(ids.next_id());
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(made.iter().all(|id| id.as_str().len() == 32 && &id.as_str()[12..13] == "7"));
        assert!(made.iter().all(|id| "89ab".contains(&id.as_str()[16..17])));
    }
}
