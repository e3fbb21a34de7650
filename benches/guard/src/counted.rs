//! The function in which instructions are counted, and the number of steps that a subject takes in
//! it.

use std::hint::black_box;

/// Steps of a subject; the limits are for all of them together.
pub(crate) const STEPS: usize = 1000;
/// Of a planted slowdown, every so many steps one is done twice.
const PLANTED_EVERY: usize = 9;

/// How much is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    Once,
    /// With a slowdown that the guard must see.
    Planted,
}

impl Work {
    /// The numbers of the steps.
    pub(crate) fn steps(self) -> Vec<usize> {
        let times =
            |step: usize| if self == Self::Planted && step.is_multiple_of(PLANTED_EVERY) { 2 } else { 1 };
        (0..STEPS).flat_map(|step| std::iter::repeat_n(step, times(step))).collect()
    }
}

/// Instructions count in here alone. The tool that counts knows this function by its name, which no
/// other may contain.
#[inline(never)]
pub(crate) fn counted_section<T>(mut steps: Vec<T>, mut work: impl FnMut(T)) {
    for step in steps.drain(..) {
        work(black_box(step));
    }
}
