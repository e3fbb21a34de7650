//! The generators of random numbers: the operating system's, and a repeatable one for tests.

use parking_lot::Mutex;
use std::{fmt::Debug, sync::Arc};

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
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRng;

impl Rng for SystemRng {
    #[expect(clippy::disallowed_methods, reason = "the one place that asks the operating system")]
    fn next_u64(&self) -> u64 {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).expect("the operating system has randomness");
        u64::from_ne_bytes(bytes)
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
