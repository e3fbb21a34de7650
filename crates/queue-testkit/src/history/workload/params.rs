//! The size of a workload, and the faults in it.

/// The size of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The number of tasks that enqueue, some of them the same ids.
    pub producers: usize,
    /// The number of tasks that claim jobs, and settle them in every way.
    pub workers: usize,
    /// The number of tasks that cancel, redrive, promote, delete, rescue, prune and read.
    pub meddlers: usize,
    /// The number of steps that each task takes.
    pub steps: usize,
    /// The number of ids that are used again and again; others are used once.
    pub shared_ids: usize,
    /// The faults between tasks and store.
    pub faults: Faults,
}

/// The faults between tasks and store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Faults {
    /// No faults, so that every answer is known and verdicts are strictest.
    #[default]
    None,
    /// Calls are refused, lost on the way, lost on the way back, and late.
    Losses,
    /// The same, and calls arrive twice.
    All,
}

impl Default for Params {
    fn default() -> Self {
        Self { producers: 3, workers: 4, meddlers: 3, steps: 40, shared_ids: 12, faults: Faults::None }
    }
}

impl Params {
    /// Sets the faults.
    #[must_use]
    pub fn with_faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// Sets the number of steps that each task takes.
    #[must_use]
    pub fn with_steps(mut self, steps: usize) -> Self {
        self.steps = steps;
        self
    }
}
