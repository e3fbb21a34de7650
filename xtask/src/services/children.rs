//! The processes of a server that is coming up.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::process::{Process, until};

/// How long a server may take to come up, on a machine that is busy with other things.
const UP_MAX: Duration = Duration::from_mins(1);

/// Killed when this is dropped, unless they are left running.
#[derive(Default)]
pub(super) struct Children(Vec<Child>);

impl Children {
    /// A group of its own keeps a process from the terminal's interrupt, which is meant for the
    /// tests.
    pub(super) fn spawn(&mut self, mut command: Command) -> Result<Process> {
        command.process_group(0);
        let child =
            command.spawn().with_context(|| format!("cannot start `{}`", crate::command::line(&command)))?;
        let pid = child.id();
        self.0.push(child);
        Process::of(pid).context("it ended at once")
    }

    /// Waits for a condition, no longer than all of them run.
    pub(super) fn wait_until(&mut self, condition: impl Fn() -> bool) -> Result<()> {
        let mut has_ended = false;
        let is_true = until(UP_MAX, || {
            has_ended = self.0.iter_mut().any(|child| !matches!(child.try_wait(), Ok(None)));
            has_ended || condition()
        });
        ensure!(!has_ended, "it ended while it started");
        ensure!(is_true, "it does not answer as it should");
        Ok(())
    }

    pub(super) fn leave_running(mut self) {
        self.0.clear();
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        for child in &mut self.0 {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Children;
    use std::process::Command;

    fn sleeper() -> Command {
        let mut sleep = Command::new("sleep");
        sleep.arg("600");
        sleep
    }

    #[test]
    fn a_start_that_is_given_up_leaves_no_process() {
        let mut children = Children::default();
        let processes = [(); 2].map(|()| children.spawn(sleeper()).expect("sleep starts"));
        assert!(processes.iter().all(super::Process::is_alive));
        drop(children);
        assert!(!processes.iter().any(super::Process::is_alive));
    }

    #[test]
    fn a_start_that_worked_leaves_them_running() {
        let mut children = Children::default();
        let process = children.spawn(sleeper()).expect("sleep starts");
        children.wait_until(|| true).expect("it runs");
        children.leave_running();
        assert!(process.is_alive());
        process.stop("TERM").expect("sleep obeys");
    }

    #[test]
    fn one_that_ends_ends_the_wait() {
        let mut children = Children::default();
        let processes = [(); 2].map(|()| children.spawn(sleeper()).expect("sleep starts"));
        processes[1].stop("TERM").expect("sleep obeys");
        let error = children.wait_until(|| false).expect_err("one has ended");
        assert_eq!(error.to_string(), "it ended while it started");
    }
}
