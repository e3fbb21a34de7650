//! What happens to a candidate.

use super::Fence;
use crate::runtime::guarded;
use queue_core::Error;
use std::{fmt, sync::Arc};

/// What happens to a candidate.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LeadershipEvent {
    /// The candidate leads from here on.
    Elected(Fence),
    /// The candidate leads no more.
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
    /// The store says that the lease is another's, or that the job was removed.
    Taken,
    /// A caller cancelled the election's job, which asks the leader to step down.
    Revoked,
}

/// The program's own listener.
#[derive(Clone, Default)]
pub(super) struct LeadershipListener(Option<Arc<ListenFn>>);

type ListenFn = dyn Fn(&LeadershipEvent) + Send + Sync;

impl LeadershipListener {
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

impl fmt::Debug for LeadershipListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "LeadershipListener(..)" } else { "LeadershipListener(none)" })
    }
}
