use crate::{Moment, State, Timestamp};

/// How many jobs a queue holds, by state. Terminal ones may include records whose purge is overdue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    by_state: [u64; State::ALL.len()],
    /// Of the waiting, how many have their time still to come.
    pub scheduled: u64,
    /// When the oldest due job became due.
    pub oldest_due: Option<Timestamp>,
    /// The store's time.
    pub now: Timestamp,
    /// What its clock says.
    pub clock: Timestamp,
}

impl Counts {
    /// No jobs.
    pub fn empty(moment: Moment) -> Self {
        Self { now: moment.now, clock: moment.clock, ..Self::default() }
    }

    /// When they were counted.
    pub const fn moment(&self) -> Moment {
        Moment { now: self.now, clock: self.clock }
    }

    /// How many are in a state.
    pub const fn of(&self, state: State) -> u64 {
        self.by_state[state.as_code() as usize]
    }

    /// Sets how many are in a state.
    pub fn set(&mut self, state: State, count: u64) {
        self.by_state[usize::from(state.as_code())] = count;
    }

    /// All records.
    pub fn total(&self) -> u64 {
        self.by_state.iter().sum()
    }

    /// Those that are not terminal.
    pub fn unfinished(&self) -> u64 {
        State::ALL.into_iter().filter(|state| !state.is_terminal()).map(|state| self.of(state)).sum()
    }
}
