//! Processes that share a store and are killed one after the other.

use queue_core::Rng;
use std::{
    fmt,
    process::{Child, Command},
};

/// Processes that share a store, each with its own [`Tape`](crate::history::Tape), and are killed
/// without warning, one after the other (by `SIGKILL` where there are signals). Dropping the herd
/// kills all of them.
///
/// ```
/// use queue_core::SeededRng;
/// use queue_testkit::history::Herd;
/// use std::process::Command;
///
/// # #[cfg(unix)] {
/// let mut herd = Herd::start(2, |number| {
///     let mut command = Command::new("sleep"); // a test starts itself again: `std::env::current_exe`
///     command.env("NUMBER", number.to_string()).arg("60");
///     command
/// });
/// herd.kill_one(&SeededRng::new(7));
/// herd.kill_all();
/// assert_eq!(herd.started(), 3, "two at first, and one in place of the one that was killed");
/// # }
/// ```
pub struct Herd {
    command: Box<dyn Fn(usize) -> Command + Send>,
    running: Vec<Child>,
    started: usize,
}

impl Herd {
    /// Starts this many processes, each by its own command; they are numbered from zero.
    ///
    /// # Panics
    /// If a process cannot be started.
    pub fn start(processes: usize, command: impl Fn(usize) -> Command + Send + 'static) -> Self {
        let mut herd = Self { command: Box::new(command), running: Vec::new(), started: 0 };
        for _ in 0..processes {
            herd.start_one();
        }
        herd
    }

    /// Kills one process, wherever it is by now, and starts another in its place.
    ///
    /// # Panics
    /// If the process had ended by itself, which one that works for ever does only when it panics.
    pub fn kill_one(&mut self, rng: &dyn Rng) {
        let which = usize::try_from(rng.next_u64() % self.running.len() as u64).expect("there are few");
        kill(&mut self.running.swap_remove(which));
        self.start_one();
    }

    /// Kills all processes that are left.
    ///
    /// # Panics
    /// As [`kill_one`](Self::kill_one).
    pub fn kill_all(&mut self) {
        while let Some(mut process) = self.running.pop() {
            kill(&mut process);
        }
    }

    /// The number of processes started so far.
    pub fn started(&self) -> usize {
        self.started
    }

    fn start_one(&mut self) {
        let process = (self.command)(self.started).spawn().expect("the process starts");
        self.running.push(process);
        self.started += 1;
    }
}

fn kill(process: &mut Child) {
    let ended = process.try_wait().expect("it is our own");
    assert!(ended.is_none(), "a process ended before it was killed: {ended:?}");
    process.kill().expect("it is our own");
    process.wait().expect("it is our own");
}

impl Drop for Herd {
    fn drop(&mut self) {
        for process in &mut self.running {
            // Both fail for a process that ended by itself, which needs neither.
            drop(process.kill());
            drop(process.wait());
        }
    }
}

impl fmt::Debug for Herd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Herd")
            .field("running", &self.running)
            .field("started", &self.started)
            .finish_non_exhaustive()
    }
}
