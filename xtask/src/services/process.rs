//! One process that this program started, known well enough never to hit another.

#![expect(clippy::disallowed_methods, reason = "a command-line tool that waits for processes has no runtime")]

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

const POLL: Duration = Duration::from_millis(50);
/// How long a process may ignore its signal before it is killed.
const END_MAX: Duration = Duration::from_secs(10);

/// A number and the time of the start: numbers are used again, so one alone may mean a stranger.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Process {
    pid: u32,
    started_at: String,
}

impl Process {
    /// The process of this number, where it runs.
    pub(super) fn of(pid: u32) -> Option<Self> {
        Some(Self { pid, started_at: started_at(pid)? })
    }

    pub(super) fn is_alive(&self) -> bool {
        started_at(self.pid).as_ref() == Some(&self.started_at)
    }

    /// Asks it to end, waits, and insists in the end. A process that is gone already is fine.
    pub(super) fn stop(&self, name: &str) -> Result<()> {
        for signal in [name, "KILL"] {
            self.signal(signal);
            if until(END_MAX, || !self.is_alive()) {
                return Ok(());
            }
        }
        bail!("process {} does not end", self.pid)
    }

    /// The exit code does not matter: whether the process still runs is looked at afterwards.
    fn signal(&self, name: &str) {
        if self.is_alive() {
            let script = r#"kill -s "$0" "$1""#;
            let mut kill = Command::new("sh");
            kill.args(["-c", script, name, &self.pid.to_string()]).stderr(Stdio::null());
            drop(kill.status());
        }
    }
}

/// Polls a condition for so long, and says whether it came true.
pub(super) fn until(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !condition() {
        if start.elapsed() >= limit {
            return false;
        }
        sleep(POLL);
    }
    true
}

/// Nothing for a process that has ended, even where its parent has not asked for its exit code yet.
fn started_at(pid: u32) -> Option<String> {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => from_stat(&stat),
        Err(_) if fs::exists("/proc/self/stat").unwrap_or(false) => None,
        Err(_) => from_ps(pid),
    }
}

/// The program's name may hold blanks and brackets, so fields are counted from the last bracket:
/// the state, then, as the twentieth, the start in ticks since boot.
fn from_stat(stat: &str) -> Option<String> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    let ticks = fields.nth(18)?;
    (!matches!(state, "Z" | "X")).then(|| ticks.to_owned())
}

/// For systems without `/proc`.
fn from_ps(pid: u32) -> Option<String> {
    let output = Command::new("ps").args(["-o", "stat=,lstart=", "-p", &pid.to_string()]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (state, start) = text.trim().split_once(char::is_whitespace)?;
    (!state.starts_with('Z')).then(|| start.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Process, from_stat, until};
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn a_condition_is_asked_until_it_is_true_or_time_is_up() {
        let mut asked = 0;
        let mut third = || {
            asked += 1;
            asked == 3
        };
        assert!(!until(Duration::ZERO, &mut third));
        assert!(until(Duration::MAX, &mut third));
        assert_eq!(asked, 3);
    }

    #[test]
    fn the_start_is_found_behind_an_odd_name() {
        let rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        assert_eq!(from_stat(&format!("42 (a) b) S {rest}")).as_deref(), Some("777"));
        assert_eq!(from_stat(&format!("42 (a) Z {rest}")), None, "it has ended");
    }

    #[test]
    fn a_process_is_stopped_by_its_signal() {
        let mut child = Command::new("sleep").arg("600").spawn().expect("sleep starts");
        let process = Process::of(child.id()).expect("it runs");
        assert!(process.is_alive());
        process.stop("TERM").expect("sleep obeys");
        assert!(!process.is_alive());
        child.wait().expect("it can be waited for");
    }

    #[test]
    fn a_number_used_again_is_left_alone() {
        let mut child = Command::new("sleep").arg("600").spawn().expect("sleep starts");
        let stranger = Process { pid: child.id(), started_at: "long ago".to_owned() };
        assert!(!stranger.is_alive());
        stranger.stop("TERM").expect("there is nothing to stop");
        assert_eq!(child.try_wait().expect("it can be asked"), None, "the child was hit");
        child.kill().and_then(|()| child.wait()).expect("it can be stopped by its owner");
    }
}
