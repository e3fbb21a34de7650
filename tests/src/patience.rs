//! The one way in which tests wait: a condition is checked again and again until it holds.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Longer than a healthy machine needs for anything that a test waits for.
const PATIENCE: Duration = Duration::from_mins(2);
/// How often a condition is checked.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Waits until a condition gives a value. Nothing depends on how long that takes.
#[track_caller]
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    try_until(look).unwrap_or_else(|| panic!("it never happened: {what}"))
}

/// The same, for one who says more than a line where it never happened: nothing, if so.
#[expect(clippy::disallowed_methods, reason = "the one place where these tests wait")]
pub(crate) fn try_until<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        let found = look();
        if found.is_some() || begun.elapsed() > PATIENCE {
            return found;
        }
        thread::sleep(LOOK_EVERY);
    }
}
