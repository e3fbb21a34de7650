//! A started process of the `queue` command, which a test can signal, kill and wait for.

use crate::{CommandRun, until};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Child, ExitStatus},
};

/// A process that is always waited for: dropping it kills it.
#[derive(Debug)]
pub struct Process {
    pub(crate) child: Child,
    pub(crate) stdout: PathBuf,
    pub(crate) stderr: PathBuf,
}

impl Process {
    /// The standard output so far.
    pub fn stdout(&self) -> Vec<u8> {
        fs::read(&self.stdout).expect("the file was made before the process")
    }

    /// The standard error so far.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.stderr).expect("the file was made before the process"))
            .into_owned()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("it is our child").is_some()
    }

    /// Sends a signal to this process alone.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("the process was not waited for, so its number is its own");
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed()).expect("a process number is not zero")
    }

    /// Stops it with SIGSTOP, and waits until each of its threads stands still. Right after the
    /// signal a thread may still run, and answer what is asked next.
    #[track_caller]
    pub fn suspend(&self) {
        self.signal(Signal::STOP);
        let stopped = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        until("the process stands still", || {
            waitid(WaitId::Pid(self.pid()), stopped).expect("it is our child")
        });
    }

    /// Kills it with SIGKILL.
    pub fn kill(mut self) -> CommandRun {
        self.signal(Signal::KILL);
        self.end()
    }

    /// Waits until it ends by itself.
    pub fn wait(mut self) -> CommandRun {
        self.end()
    }

    fn end(&mut self) -> CommandRun {
        let child = &mut self.child;
        let status = until("the process ends", || child.try_wait().expect("it is our child"));
        CommandRun { code: code(status), stdout: self.stdout(), stderr: self.stderr() }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail if the process was waited for already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn code(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .expect("it ended one way or the other")
}
