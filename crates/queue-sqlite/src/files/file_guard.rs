//! The regular check that the open files still have their names.

use super::{FileIdentity, OpenFiles};
use crate::error::SqliteFault;
use parking_lot::{Mutex, MutexGuard};
use std::time::Duration;

/// Files that go missing are noticed after this much time at the latest, and nothing is
/// acknowledged from then on.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Keeps the threads of one handle from answering out of files that no other process can find.
#[derive(Debug, Default)]
pub(crate) struct FileGuard(Mutex<GuardState>);

#[derive(Debug, Default)]
struct GuardState {
    /// None until they are open.
    files: Option<OpenFiles>,
    /// By the clock's ticks.
    looked_at: Duration,
    /// Once they are lost they stay so: what was written meanwhile may stand elsewhere.
    lost: Option<SqliteFault>,
}

impl FileGuard {
    /// Guards these files, which were there a moment ago.
    pub(crate) fn watch(&self, files: OpenFiles, ticks: Duration) {
        *self.state() = GuardState { files: Some(files), looked_at: ticks, lost: None };
    }

    /// Looks again if the last look is [`LOOK_INTERVAL`] old. Threads that come meanwhile wait for
    /// the outcome.
    pub(crate) fn check(&self, ticks: Duration) -> Result<(), SqliteFault> {
        let mut state = self.state();
        if ticks.saturating_sub(state.looked_at) < LOOK_INTERVAL {
            return state.known();
        }
        state.look(ticks)
    }

    /// Looks, however fresh the last look is.
    pub(crate) fn check_now(&self, ticks: Duration) -> Result<(), SqliteFault> {
        self.state().look(ticks)
    }

    /// The database that is guarded.
    pub(crate) fn database(&self) -> Option<FileIdentity> {
        self.state().files.as_ref().map(OpenFiles::database)
    }

    fn state(&self) -> MutexGuard<'_, GuardState> {
        self.0.lock()
    }
}

impl GuardState {
    fn known(&self) -> Result<(), SqliteFault> {
        self.lost.clone().map_or(Ok(()), Err)
    }

    fn look(&mut self, ticks: Duration) -> Result<(), SqliteFault> {
        self.known()?;
        let found = self.files.as_ref().map_or(Ok(()), OpenFiles::check);
        match &found {
            Ok(()) => self.looked_at = ticks,
            Err(fault) if fault.is_lost() => self.lost = Some(fault.clone()),
            // It is not known to be lost, so the next call looks again.
            Err(_) => {}
        }
        found
    }
}
