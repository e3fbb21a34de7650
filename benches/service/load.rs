//! What is measured: the rows of the table of targets.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// Enqueues of one job.
    EnqueueOne,
    /// Enqueues of a hundred jobs.
    EnqueueMany,
    /// Claims of a hundred jobs, each batch settled in one call.
    WorkMany,
    /// Claims of one job, settled alone.
    WorkOne,
}

impl Load {
    pub(crate) const ALL: [Self; 4] = [Self::EnqueueOne, Self::EnqueueMany, Self::WorkMany, Self::WorkOne];

    /// How many callers there are at a time, each with a connection.
    pub(crate) const fn callers(self) -> usize {
        match self {
            Self::EnqueueOne | Self::WorkOne => 64,
            Self::EnqueueMany | Self::WorkMany => 16,
        }
    }

    /// Jobs of a call.
    pub(crate) const fn jobs(self) -> usize {
        match self {
            Self::EnqueueOne | Self::WorkOne => 1,
            Self::EnqueueMany | Self::WorkMany => 100,
        }
    }

    /// Whether jobs have to be there before.
    pub(crate) const fn works(self) -> bool {
        matches!(self, Self::WorkOne | Self::WorkMany)
    }

    /// Requests of a round of a caller.
    pub(crate) const fn requests(self) -> u64 {
        if self.works() { 2 } else { 1 }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (jobs, callers) = (self.jobs(), self.callers());
        if self.works() {
            write!(f, "claim {jobs}, settle {jobs}; {callers} workers")
        } else {
            write!(f, "enqueue {jobs} a request; {callers} connections")
        }
    }
}
