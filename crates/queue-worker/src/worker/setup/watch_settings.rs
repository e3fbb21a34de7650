//! Settings of what a worker leaves for its operators.

use super::WorkerBuilder;

impl WorkerBuilder {
    /// Writes no [series](queue_core::series). By default a worker writes once a minute what it
    /// counted, and once an hour, if its store keeps series; a minute without jobs writes nothing.
    #[must_use]
    pub fn without_series(mut self) -> Self {
        self.options.series = false;
        self
    }
}
