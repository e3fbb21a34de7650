//! Whether the store answers, in a line for the top of the screen.

use crate::output::{age, date};
use queue::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// A reading that takes longer is shown as slow.
const SLOW: Duration = Duration::from_secs(2);

/// The outcome of the last readings.
#[derive(Clone, Debug, Default)]
pub(super) struct Trouble {
    /// Why the last reading failed.
    words: Option<String>,
    /// When the reading under way began.
    begun: Option<Instant>,
    /// When the last good one ended, by the clock of this machine too.
    good: Option<(Instant, Timestamp)>,
}

impl Trouble {
    pub(super) fn begin(&mut self) {
        self.begun = Some(Instant::now());
    }

    pub(super) fn end_well(&mut self, clock: Timestamp) {
        *self = Self { words: None, begun: None, good: Some((Instant::now(), clock)) };
    }

    pub(super) fn end_badly(&mut self, words: String) {
        (self.words, self.begun) = (Some(words), None);
    }

    /// Whether anything was ever read.
    pub(super) const fn was_good(&self) -> bool {
        self.good.is_some()
    }

    /// What is wrong; `None` if nothing is. It begins with how old it is what is shown, which no
    /// narrow screen cuts off.
    pub(super) fn line(&self) -> Option<String> {
        let waits = self.begun.map(|begun| begun.elapsed()).filter(|waits| *waits > SLOW);
        let words = match (&self.words, waits) {
            (Some(words), _) => words.clone(),
            (None, Some(waits)) => format!("the store has not answered for {}", age(waits)),
            (None, None) => return None,
        };
        Some(match self.good {
            Some((at, clock)) => {
                format!("! {} old: {words} (last read at {})", age(at.elapsed()), time_of_day(clock))
            }
            None => format!("! nothing was read yet: {words}"),
        })
    }
}

/// `14:03:59 UTC`.
pub(super) fn time_of_day(clock: Timestamp) -> String {
    date(clock).get(11..19).map_or_else(String::new, |time| format!("{time} UTC"))
}
