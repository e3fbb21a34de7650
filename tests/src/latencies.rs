//! A collection of measured times, with their median and other percentiles.

use std::{fmt, time::Duration};

/// Measured times. All of them are kept, since a run has some hundred thousand at most.
#[derive(Clone, Debug, Default)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    /// Notes one.
    pub fn note(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// Adds the times of another collection.
    pub fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// How many were noted.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The shortest time within which this many thousandths of all ended; zero if there are none.
    pub fn within(&self, thousandths: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len().saturating_sub(1) * thousandths / 1000).copied().unwrap_or_default()
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |thousandths| format!("{:.1?}", self.within(thousandths));
        let [median, ninety, most, slowest] = [500, 900, 990, 1000].map(shown);
        write!(f, "median {median}, 90 % within {ninety}, 99 % within {most}, slowest {slowest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_all_are_found_whatever_their_order() {
        let mut latencies = Latencies::default();
        (0..=100).rev().for_each(|n| latencies.note(Duration::from_millis(n)));
        assert_eq!(latencies.within(500), Duration::from_millis(50));
        assert_eq!(latencies.within(990), Duration::from_millis(99));
        assert_eq!(latencies.within(1000), Duration::from_millis(100));
        assert_eq!(Latencies::default().within(500), Duration::ZERO);
    }
}
