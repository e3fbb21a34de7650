use serde::Serialize;
use std::fmt;

/// What differs between the measurements of one scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Setting {
    /// What people get who set nothing.
    #[default]
    Default,
    /// Larger batches, for jobs as short as these.
    Tuned,
    /// Jobs that are due before the measurement begins.
    Backlog(usize),
    /// Workers in one process.
    Workers(usize),
    /// Processes with one worker each.
    Processes(usize),
    /// Bytes of payload.
    Payload(usize),
    /// Jobs in one statement or call.
    Batch(usize),
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

/// As it follows the name of a scenario.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => Ok(()),
            Self::Tuned => f.write_str(", tuned"),
            Self::Backlog(jobs) => write!(f, ", backlog {jobs}"),
            Self::Workers(workers) => write!(f, ", {workers} workers"),
            Self::Processes(processes) => write!(f, ", {processes} processes"),
            Self::Payload(bytes) => write!(f, ", {bytes} B"),
            Self::Batch(jobs) => write!(f, ", by {jobs}"),
            Self::Pending => f.write_str(", pending"),
            Self::Completed => f.write_str(", completed"),
        }
    }
}
