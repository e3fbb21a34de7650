//! Randomness and generated ids, passed in from outside so that a seed repeats a run.

mod id_source;
mod rng;

pub use id_source::{IdSource, TimeOrderedIds};
pub use rng::{Rng, SeededRng, SystemRng};
