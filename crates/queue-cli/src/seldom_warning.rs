//! A warning that comes again and again.

use crate::output::{self, Format};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// The most messages whose counts are kept; then all are forgotten.
const MESSAGES_MAX: usize = 16;

/// Shows each message when it is new, and then each time that its count has doubled.
#[derive(Debug, Default)]
pub(crate) struct SeldomWarning(Mutex<HashMap<String, u64>>);

impl SeldomWarning {
    /// Writes the warning to standard error, if it is its turn.
    pub(crate) fn warn(&self, format: Format, words: String) {
        if self.is_due(&words) {
            output::warn(format, words);
        }
    }

    /// Whether it is the turn of these words, which this counts.
    pub(crate) fn is_due(&self, words: &str) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() == MESSAGES_MAX && !counts.contains_key(words) {
            counts.clear();
        }
        let count = counts.entry(words.to_owned()).or_default();
        *count += 1;
        count.is_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shown_when_it_is_new_and_each_time_that_its_count_has_doubled() {
        let warning = SeldomWarning::default();
        let shown: Vec<usize> = (1..=20).filter(|_| warning.is_due("full")).collect();
        assert_eq!(shown, [1, 2, 4, 8, 16]);
        assert!(warning.is_due("away"));
        assert!(!warning.is_due("full"));
    }

    #[test]
    fn messages_that_never_repeat_take_bounded_room() {
        let warning = SeldomWarning::default();
        for number in 0..100 {
            assert!(warning.is_due(&number.to_string()));
        }
        assert!(warning.0.lock().unwrap().len() <= MESSAGES_MAX);
    }
}
