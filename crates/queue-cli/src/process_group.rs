//! The process group of a child process, which is killed as a whole when the handle is dropped.

use crate::guardian::Guardian;
use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process_group},
};
use std::{io, time::Duration};
use tokio::process::Child;

/// How long a program waits that could not start a command, before it tries again.
pub(crate) const REST: Duration = Duration::from_secs(1);
/// What it says then.
pub(crate) const NO_PROCESS: &str = "the system starts no process for the command";

/// A child that leads its own process group, and all processes that it started. Dropping this kills
/// those that still run, and if this program is killed, its guardian does.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    group: Option<Pid>,
    guardian: Guardian,
}

impl ProcessGroup {
    /// The group of a child that was spawned with `process_group(0)` and has not been waited for.
    pub(crate) fn of(leader: &Child, guardian: &Guardian) -> Self {
        let group = leader.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(group) = group {
            guardian.add(group);
        }
        Self { group, guardian: guardian.clone() }
    }

    /// Asks every process of the group to end.
    pub(crate) fn terminate(&self) {
        if let Some(group) = self.group {
            let _gone = kill_process_group(group, Signal::TERM);
        }
    }

    /// Gives up the right to kill: call it once the leader was waited for, since its number may
    /// then be given to another process.
    pub(crate) fn forget(&mut self) {
        if let Some(group) = self.group.take() {
            self.guardian.remove(group);
        }
    }
}

/// Whether a process could not be started since the host, or this user, is at a limit: of
/// processes, of memory, or of open files. That passes, and the command is not to blame.
pub(crate) fn is_short_of_room(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::AGAIN | Errno::NOMEM | Errno::MFILE | Errno::NFILE))
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // The group may have ended just now, and then there is nothing to kill.
            let _gone = kill_process_group(group, Signal::KILL);
        }
        self.forget();
    }
}
