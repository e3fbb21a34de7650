//! The setting in which measurements of one scenario differ, such as a batch size or a number of
//! workers.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What differs between the measurements of one scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Setting {
    /// What people get who set nothing.
    #[default]
    Default,
    /// Jobs that a worker holds ready.
    Prefetch(usize),
    /// Handlers that run at once.
    Concurrency(usize),
    /// Jobs that wait behind those that are measured.
    Backlog(usize),
    /// Jobs that are stored.
    Records(usize),
    /// Workers in one process.
    Workers(usize),
    /// Processes with one worker each.
    Processes(usize),
    /// Bytes of payload.
    Payload(usize),
    /// Jobs in one statement or call.
    Batch(usize),
    /// Connections at once, 1000 jobs a statement each.
    Connections(usize),
    /// Jobs that wait.
    Pending,
    /// Jobs that are done and kept.
    Completed,
}

impl Setting {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::Default
    }
}

/// Without the name of the scenario; empty for the default.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => Ok(()),
            Self::Prefetch(jobs) => write!(f, "prefetch {jobs}"),
            Self::Concurrency(handlers) => write!(f, "concurrency {handlers}"),
            Self::Backlog(jobs) => write!(f, "backlog {jobs}"),
            Self::Records(jobs) => write!(f, "{jobs} records"),
            Self::Workers(1) => f.write_str("1 worker"),
            Self::Workers(workers) => write!(f, "{workers} workers"),
            Self::Processes(1) => f.write_str("1 process"),
            Self::Processes(processes) => write!(f, "{processes} processes"),
            Self::Payload(bytes) => write!(f, "{bytes} B"),
            Self::Batch(jobs) => write!(f, "by {jobs}"),
            Self::Connections(connections) => write!(f, "by 1000, {connections} connections"),
            Self::Pending => f.write_str("pending"),
            Self::Completed => f.write_str("completed"),
        }
    }
}
