//! The commits of this handle, by which the watcher knows the commits of others.

use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;

/// How many commits are kept: more than the watcher falls behind by. A forgotten one costs a
/// superfluous hint.
const REMEMBERED_MAX: usize = 256;

/// The last commits of this handle. Its subscribers know of them already, so the watcher skips
/// them.
#[derive(Debug, Default)]
pub(crate) struct OwnCommits(Mutex<VecDeque<i64>>);

impl OwnCommits {
    /// Notes a commit before it is made, so that the watcher cannot take it for a foreign one.
    pub(crate) fn begin(&self, commit: i64) {
        let mut commits = self.lock();
        if commits.len() >= REMEMBERED_MAX {
            commits.pop_front();
        }
        commits.push_back(commit);
    }

    /// Removes a commit that failed. Another process may use its number.
    pub(crate) fn take_back(&self, commit: i64) {
        self.lock().retain(|own| *own != commit);
    }

    /// Forgets all commits, because a backup started the numbers over.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    pub(crate) fn has(&self, commit: i64) -> bool {
        self.lock().contains(&commit)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<i64>> {
        self.0.lock()
    }
}
