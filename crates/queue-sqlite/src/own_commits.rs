use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;

/// More than other threads of the handle fall behind by. What is forgotten costs a hint too many.
const REMEMBERED_MAX: usize = 256;

/// The last commits of this handle, to tell them from those of others: subscribers have heard of ours already.
#[derive(Debug, Default)]
pub(crate) struct OwnCommits(Mutex<VecDeque<i64>>);

impl OwnCommits {
    /// The commit of this number is about to be made. Noted before, so that nobody who sees it takes it for another's.
    pub(crate) fn begin(&self, commit: i64) {
        let mut commits = self.lock();
        if commits.len() >= REMEMBERED_MAX {
            commits.pop_front();
        }
        commits.push_back(commit);
    }

    /// It was not made: its number is for somebody else.
    pub(crate) fn take_back(&self, commit: i64) {
        self.lock().retain(|own| *own != commit);
    }

    /// Numbers are given out anew.
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
