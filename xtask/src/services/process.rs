//! One process of a server, which ends with this program however that ends.

#![expect(clippy::disallowed_methods, reason = "a command-line tool that waits for processes has no runtime")]

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::account::Account;

pub(super) const LOG: &str = "log";
const POLL: Duration = Duration::from_millis(50);
/// Tenths of a second for which a process may ignore its signal before it is killed.
const END_MAX_DS: &str = "100";
/// Runs a program and, once standard input ends, ends it. The pipe ends when this program closes it
/// or dies, so that nothing is left behind; and it is the parent that signals, so that no number of
/// a process is ever one that a stranger has by now.
const GUARD: &str = r#"
signal=$1 limit=$2; shift 2
exec 3<&0 </dev/null
"$@" 3<&- & server=$!
{
    read -r _ <&3; kill -s "$signal" $server
    while [ $limit -gt 0 ] && kill -0 $server; do sleep 0.1; limit=$((limit - 1)); done
    kill -s KILL $server
} & guard=$!
exec 3<&-
wait $server; code=$?
kill $guard
exit $code
"#;

/// Ended when dropped.
#[derive(Debug)]
pub(super) struct Process(Child);

impl Process {
    /// In a folder that has its log. A group of its own keeps the process from the terminal's
    /// interrupt, which is meant for the tests.
    pub(super) fn start(command: &Command, folder: &Path, account: Account, signal: &str) -> Result<Self> {
        Self::start_with(command, folder, account, [signal, END_MAX_DS])
    }

    fn start_with(command: &Command, folder: &Path, account: Account, ending: [&str; 2]) -> Result<Self> {
        let mut guarded = Command::new("sh");
        guarded.args(["-c", GUARD, "sh"]).args(ending).arg(command.get_program()).args(command.get_args());
        prepare(&mut guarded, folder, account)?;
        let child = guarded.stdin(Stdio::piped()).process_group(0).spawn();
        child.map(Self).with_context(|| format!("cannot start `{}`", crate::command::line(command)))
    }

    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

/// Lets a command of a server run as its account, in its folder, with all output at the end of the
/// log.
pub(super) fn prepare(command: &mut Command, folder: &Path, account: Account) -> Result<()> {
    let log =
        File::options().create(true).append(true).open(folder.join(LOG)).context("cannot open the log")?;
    let again = log.try_clone().context("cannot share the log")?;
    command.current_dir(folder).stdin(Stdio::null()).stdout(log).stderr(again);
    account.apply(command);
    Ok(())
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        drop(self.0.wait());
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

#[cfg(test)]
mod tests {
    use super::{Account, Process, until};
    use std::fs;
    use std::path::Path;
    use std::process::Command;
    use std::time::Duration;

    /// A server that has written its number, and that number.
    fn start(script: &str, limit: &str, folder: &Path) -> (Process, String) {
        let mut server = Command::new("sh");
        server.args(["-c", &format!("{script} echo $$ > pid; exec sleep 600")]);
        let process = Process::start_with(&server, folder, Account::Own, ["TERM", limit]).expect("it starts");
        let pid = || fs::read_to_string(folder.join("pid")).unwrap_or_default().trim().to_owned();
        assert!(until(Duration::from_mins(1), || !pid().is_empty()));
        (process, pid())
    }

    fn is_alive(pid: &str) -> bool {
        let kill = Command::new("sh").args(["-c", &format!("kill -0 {pid} 2>&1")]).output();
        kill.expect("sh runs").status.success()
    }

    #[test]
    fn a_server_ends_with_its_guard_even_if_it_ignores_its_signal() {
        for (script, limit) in [("", "600"), ("trap '' TERM;", "2")] {
            let folder = tempfile::tempdir().expect("a folder");
            let (mut process, pid) = start(script, limit, folder.path());
            assert!(is_alive(&pid) && !process.has_ended());
            drop(process);
            assert!(!is_alive(&pid), "{script}");
        }
    }

    #[test]
    fn a_server_that_has_ended_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut process, pid) = start("", "600", folder.path());
        let kill = Command::new("sh").args(["-c", &format!("kill {pid}")]).status();
        assert!(kill.expect("sh runs").success());
        assert!(until(Duration::from_mins(1), || process.has_ended()));
    }

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
}
