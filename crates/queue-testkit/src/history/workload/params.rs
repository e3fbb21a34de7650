//! The size of a workload, and the faults in it.

/// How much is going on in a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Tasks that enqueue, some of them the same ids.
    pub producers: usize,
    /// Tasks that claim and settle in every way there is.
    pub workers: usize,
    /// Tasks that cancel, redrive, promote, delete, rescue, prune and read.
    pub meddlers: usize,
    /// How many steps each of them takes.
    pub steps: usize,
    /// How many ids are used again and again; others are used once.
    pub shared_ids: usize,
    /// What goes wrong on the way to the store.
    pub faults: Faults,
}

/// What goes wrong on the way to the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Faults {
    /// Nothing, so that every answer is known and verdicts are strictest.
    #[default]
    None,
    /// Calls are refused, lost on the way, lost on the way back, and late.
    Losses,
    /// Those, and calls arrive twice.
    All,
}

impl Default for Params {
    fn default() -> Self {
        Self { producers: 3, workers: 4, meddlers: 3, steps: 40, shared_ids: 12, faults: Faults::None }
    }
}

impl Params {
    /// Sets what goes wrong.
    #[must_use]
    pub fn with_faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// Sets how many steps each task takes.
    #[must_use]
    pub fn with_steps(mut self, steps: usize) -> Self {
        self.steps = steps;
        self
    }
}
