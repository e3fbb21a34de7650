//! The number of jobs of a queue by state.

use crate::{Moment, State, Timestamp};
use std::fmt;

/// How many jobs a queue has, by state. The terminal ones may include records past their purge time
/// that are not removed yet.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    by_state: [u64; State::ALL.len()],
    /// How many of the waiting jobs have a due time that is still to come.
    pub scheduled: u64,
    /// The waiting jobs behind a [closed gate](crate::JobMeta::is_gated). They are none of the
    /// scheduled ones.
    pub gated: u64,
    /// When the oldest due job became due.
    pub oldest_due: Option<Timestamp>,
    /// The store's time.
    pub now: Timestamp,
    /// The reading of the store's clock.
    pub clock: Timestamp,
}

impl Counts {
    /// Counts of a queue without jobs.
    pub fn empty(moment: Moment) -> Self {
        Self { now: moment.now, clock: moment.clock, ..Self::default() }
    }

    /// When the jobs were counted.
    pub const fn moment(&self) -> Moment {
        Moment { now: self.now, clock: self.clock }
    }

    /// How many jobs are in a state.
    pub const fn of(&self, state: State) -> u64 {
        self.by_state[state.as_code() as usize]
    }

    /// Sets how many jobs are in a state.
    pub fn set(&mut self, state: State, count: u64) {
        self.by_state[usize::from(state.as_code())] = count;
    }

    /// The number of all records.
    pub fn total(&self) -> u64 {
        self.by_state.iter().sum()
    }

    /// The number of jobs that wait, due or not, for their first run or after a failure.
    pub fn waiting(&self) -> u64 {
        State::ALL.into_iter().filter(|state| state.is_waiting()).map(|state| self.of(state)).sum()
    }

    /// The number of jobs that could be claimed now, were the queue not paused.
    pub fn due(&self) -> u64 {
        self.waiting().saturating_sub(self.scheduled).saturating_sub(self.gated)
    }

    /// The number of jobs that are not terminal.
    pub fn unfinished(&self) -> u64 {
        State::ALL.into_iter().filter(|state| !state.is_terminal()).map(|state| self.of(state)).sum()
    }
}

/// Each state by its name.
impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Counts");
        for state in State::ALL {
            fields.field(state.as_str(), &self.by_state[usize::from(state.as_code())]);
        }
        fields.field("scheduled", &self.scheduled).field("gated", &self.gated);
        fields
            .field("oldest_due", &self.oldest_due)
            .field("now", &self.now)
            .field("clock", &self.clock)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_shown_with_the_names_of_their_states() {
        let mut counts = Counts::default();
        counts.set(State::Failed, 5);
        let shown = format!("{counts:?}");
        assert!(shown.starts_with("Counts { queued: 0, "), "{shown}");
        assert!(shown.contains(" failed: 5, "), "{shown}");
    }
}
