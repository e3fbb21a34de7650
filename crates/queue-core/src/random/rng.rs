//! The generators of random numbers: the operating system's, and a repeatable one for tests.

use parking_lot::Mutex;
use std::{cell::RefCell, fmt::Debug, sync::Arc};

/// The source of randomness for tokens, jitter and generated ids.
pub trait Rng: Debug + Send + Sync + 'static {
    /// Sixty-four random bits.
    fn next_u64(&self) -> u64;

    /// A hundred and twenty-eight random bits.
    fn next_u128(&self) -> u128 {
        (u128::from(self.next_u64()) << 64) | u128::from(self.next_u64())
    }
}

/// The operating system's generator. Lease tokens are secrets, so this is the default everywhere.
///
/// A thread asks for a block of randomness at a time, since a call of the operating system costs as
/// much as storing a job in memory. What was handed out is erased, and a forked process asks for a
/// block of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRng;

/// Numbers in a block.
const BLOCK: usize = 64;

thread_local! {
    static UNUSED: RefCell<Block> = const { RefCell::new(Block { process: 0, left: 0, bytes: [[0; 8]; BLOCK] }) };
}

/// Random numbers that were not handed out yet.
struct Block {
    /// The process that asked for them.
    process: u32,
    left: usize,
    bytes: [[u8; 8]; BLOCK],
}

impl Block {
    fn next(&mut self, process: u32) -> u64 {
        if self.left == 0 || self.process != process {
            self.refill(process);
        }
        self.left -= 1;
        u64::from_ne_bytes(std::mem::take(&mut self.bytes[self.left]))
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that asks the operating system")]
    fn refill(&mut self, process: u32) {
        getrandom::fill(self.bytes.as_flattened_mut()).expect("the operating system has randomness");
        (self.process, self.left) = (process, BLOCK);
    }
}

impl Rng for SystemRng {
    fn next_u64(&self) -> u64 {
        UNUSED.with_borrow_mut(|unused| unused.next(std::process::id()))
    }
}

/// A repeatable sequence for tests: Sebastiano Vigna's `SplitMix64`. Not for secrets.
#[derive(Debug)]
pub struct SeededRng(Mutex<u64>);

impl SeededRng {
    /// The same seed gives the same sequence.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }
}

impl Rng for SeededRng {
    fn next_u64(&self) -> u64 {
        let mut state = self.0.lock();
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

impl<R: Rng + ?Sized> Rng for Arc<R> {
    fn next_u64(&self) -> u64 {
        (**self).next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_number_is_handed_out_twice_by_any_thread() {
        let draw = || (0..=10 * BLOCK).map(|_| SystemRng.next_u64()).collect::<Vec<_>>();
        let numbers = std::thread::scope(|scope| {
            let threads = [scope.spawn(draw), scope.spawn(draw)];
            threads.map(|thread| thread.join().expect("it draws")).concat()
        });
        assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), numbers.len());
    }

    #[test]
    fn what_was_handed_out_is_erased_and_another_process_has_its_own() {
        let mut unused = Block { process: 0, left: 0, bytes: [[0; 8]; BLOCK] };
        let first = unused.next(1);
        assert_eq!((unused.left, unused.bytes[BLOCK - 1]), (BLOCK - 1, [0; 8]));
        let (of_parent, of_child) = (unused.bytes, unused.next(2));
        assert!(!of_parent.contains(&of_child.to_ne_bytes()), "it was drawn before the fork");
        assert_ne!(first, of_child);
    }
}
