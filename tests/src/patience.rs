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
#[expect(clippy::disallowed_methods, reason = "the one place where these tests wait")]
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = look() {
            return value;
        }
        assert!(begun.elapsed() < PATIENCE, "it never happened: {what}");
        thread::sleep(LOOK_EVERY);
    }
}
