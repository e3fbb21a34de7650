use super::Fence;
use crate::runtime::guarded;
use queue_core::Error;
use std::{fmt, sync::Arc};

/// What happens to a candidate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LeadershipEvent {
    /// It leads from here on.
    Elected(Fence),
    /// It leads no more.
    Lost {
        /// The term that ended.
        fence: Fence,
        /// Why.
        reason: LostReason,
    },
    /// The store refused a call, which is tried again.
    Error(Error),
}

/// Why a term ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LostReason {
    /// The holder resigned, or dropped its term.
    Resigned,
    /// No heartbeat came through for a whole lease.
    Lapsed,
    /// The store says that the lease is another's, or that the job is gone.
    Taken,
    /// Somebody cancelled the election's job, which asks the leader to step down.
    Revoked,
}

/// The program's own listener.
#[derive(Clone, Default)]
pub(super) struct Listener(Option<Arc<Listen>>);

type Listen = dyn Fn(&LeadershipEvent) + Send + Sync;

impl Listener {
    pub(super) fn new(listen: impl Fn(&LeadershipEvent) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listen)))
    }

    /// A listener that panics must not cost the lease.
    pub(super) fn tell(&self, event: &LeadershipEvent) {
        if let Some(listen) = &self.0 {
            let _told = guarded("listener to an election", || listen(event));
        }
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Listener(..)" } else { "Listener(none)" })
    }
}
