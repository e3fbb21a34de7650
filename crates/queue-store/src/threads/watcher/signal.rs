//! What a watching thread waits on.

use parking_lot::{Condvar, Mutex};
use std::time::Duration;

/// A flag that a thread sleeps on until another thread raises it, or asks the thread to end.
#[derive(Debug, Default)]
pub struct Signal {
    state: Mutex<SignalState>,
    /// One condition for each kind of waiter, so that a touch does not wake a thread that waits out
    /// a pause.
    touched: Condvar,
    taken: Condvar,
    stopped: Condvar,
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
    /// Raises the flag: there is something to do.
    pub fn touch(&self) {
        self.state.lock().is_touched = true;
        self.touched.notify_one();
    }

    /// Raises the flag and blocks until the watching thread has taken it, or was stopped.
    ///
    /// A callback of the operating system that returns only then is called once for all the writes
    /// of the meantime: inotify merges equal events that were not read yet.
    pub fn touch_until_taken(&self) {
        let mut state = self.state.lock();
        state.is_touched = true;
        self.touched.notify_one();
        self.taken.wait_while(&mut state, |state| state.is_touched && !state.is_stopped);
    }

    /// Ends the watching thread, and every wait from now on.
    pub fn stop(&self) {
        self.state.lock().is_stopped = true;
        self.touched.notify_all();
        self.taken.notify_all();
        self.stopped.notify_all();
    }

    /// Waits for a touch, at most this long, and takes it.
    pub fn wait_for_touch(&self, timeout: Duration) -> Wake {
        let mut state = self.state.lock();
        self.touched.wait_while_for(&mut state, |state| !state.is_stopped && !state.is_touched, timeout);
        match (state.is_stopped, std::mem::take(&mut state.is_touched)) {
            (true, _) => Wake::Stopped,
            (false, true) => {
                self.taken.notify_all();
                Wake::Touched
            }
            (false, false) => Wake::TimedOut,
        }
    }

    /// Waits this long; touches do not shorten the wait.
    pub fn wait_out(&self, timeout: Duration) -> Wake {
        let mut state = self.state.lock();
        self.stopped.wait_while_for(&mut state, |state| !state.is_stopped, timeout);
        if state.is_stopped { Wake::Stopped } else { Wake::TimedOut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::scope;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn a_touch_that_waits_returns_once_it_is_taken() {
        let signal = Signal::default();
        scope(|threads| {
            let callback = threads.spawn(|| signal.touch_until_taken());
            assert_eq!(signal.wait_for_touch(LONG), Wake::Touched);
            callback.join().expect("it returned");
        });
        assert_eq!(signal.wait_for_touch(Duration::ZERO), Wake::TimedOut, "it was taken");
    }

    #[test]
    fn stopping_ends_every_wait() {
        let signal = Signal::default();
        scope(|threads| {
            threads.spawn(|| signal.touch_until_taken());
            threads.spawn(|| signal.wait_out(LONG));
            signal.stop();
        });
        assert_eq!(signal.wait_for_touch(LONG), Wake::Stopped);
    }
}
