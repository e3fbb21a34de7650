//! What may share a call.

use crate::tasks::current_runtime;
use tokio::runtime::Id;

/// Calls with equal keys may share one call. A call uses sockets and timers of the runtime that
/// began it, which nothing moves while that runtime stands still: a task of it blocks its thread,
/// or no thread drives it. So calls of different runtimes share nothing, and a runtime waits only
/// for itself. Calls outside of any runtime, as in tests, are among themselves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LineKey<K> {
    runtime: Option<Id>,
    pub(super) key: K,
    /// Which of the lines of the key it is, where a key has several.
    pub(super) number: usize,
}

impl<K> LineKey<K> {
    /// The first line of the key on the runtime of the caller.
    pub(super) fn here(key: K) -> Self {
        Self { runtime: current_runtime(), key, number: 0 }
    }
}
