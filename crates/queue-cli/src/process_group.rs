//! The process group of a child process, which is killed as a whole when the handle is dropped.

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;

/// A child that leads a process group of its own, and all that it started. Whatever is left is
/// killed when this is dropped.
#[derive(Debug)]
pub(crate) struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    /// Of a child that was spawned with `process_group(0)` and not waited for yet.
    pub(crate) fn of(leader: &Child) -> Self {
        Self(leader.id().and_then(|id| Pid::from_raw(id.cast_signed())))
    }

    /// Asks all of it to end.
    pub(crate) fn terminate(&self) {
        if let Some(group) = self.0 {
            let _gone = kill_process_group(group, Signal::TERM);
        }
    }

    /// Nothing is left to kill: call it once the leader was waited for, since its number may then
    /// be given to others.
    pub(crate) fn forget(&mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended by itself just now, and then there is nothing to kill.
            let _gone = kill_process_group(group, Signal::KILL);
        }
    }
}
