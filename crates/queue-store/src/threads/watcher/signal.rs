use parking_lot::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// What a thread waits for: a touch, its end, or a while.
#[derive(Debug, Default)]
pub struct Signal {
    state: Mutex<SignalState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct SignalState {
    is_stopped: bool,
    is_touched: bool,
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// There is nothing to do any more.
    Stopped,
    /// There is something to do.
    Touched,
    /// Nothing happened.
    TimedOut,
}

impl Signal {
    /// There is something to do.
    pub fn touch(&self) {
        self.set(|state| state.is_touched = true);
    }

    /// There is nothing to do any more.
    pub fn stop(&self) {
        self.set(|state| state.is_stopped = true);
    }

    /// Waits for a touch, at most this long, and takes it.
    pub fn wait_for_touch(&self, timeout: Duration) -> Wake {
        let mut state = self.wait(timeout, |state| !state.is_stopped && !state.is_touched);
        match (state.is_stopped, std::mem::take(&mut state.is_touched)) {
            (true, _) => Wake::Stopped,
            (false, true) => Wake::Touched,
            (false, false) => Wake::TimedOut,
        }
    }

    /// Waits this long, whatever is touched meanwhile.
    pub fn wait_out(&self, timeout: Duration) -> Wake {
        if self.wait(timeout, |state| !state.is_stopped).is_stopped { Wake::Stopped } else { Wake::TimedOut }
    }

    fn set(&self, change: impl FnOnce(&mut SignalState)) {
        change(&mut self.state.lock());
        self.changed.notify_all();
    }

    fn wait(&self, timeout: Duration, is_idle: impl Fn(&SignalState) -> bool) -> MutexGuard<'_, SignalState> {
        let mut state = self.state.lock();
        self.changed.wait_while_for(&mut state, |state| is_idle(state), timeout);
        state
    }
}
