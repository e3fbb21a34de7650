//! Starts one server and waits until it serves.

use std::fs::{self, File};
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, anyhow};

use super::account::Account;
use super::process::{Process, until};
use super::server::{Place, Server};
use super::state::Running;

/// Somebody else may take a free port before the server does, so a start is tried again on another.
const TRIES_MAX: u32 = 3;
const LOG_LINES_SHOWN: usize = 20;
const LOG: &str = "log";

/// Starts a server in a folder of its own below `folder`. A failed try leaves no process behind.
pub(super) fn start(server: &dyn Server, bin: &Path, folder: &Path, account: Account) -> Result<Running> {
    let mut last = anyhow!("no try was made");
    for attempt in 1..=TRIES_MAX {
        let place = place(folder.join(format!("{}-{attempt}", server.name())), account)?;
        match try_start(server, bin, &place) {
            Ok(running) => return Ok(running),
            Err(error) => last = error.context(log_tail(&place.folder)),
        }
    }
    Err(last.context(format!("{} does not start", server.name())))
}

fn try_start(server: &dyn Server, bin: &Path, place: &Place) -> Result<Running> {
    server.prepare(bin, place)?;
    let mut child = spawn(server.command(bin, place), place)?;
    let process = Process::of(child.id()).context("it ended at once")?;
    let mut ended = false;
    let is_up = until(|| {
        ended = matches!(child.try_wait(), Ok(Some(_)) | Err(_));
        ended || server.is_ready(place)
    });
    if ended || !is_up {
        give_up(&mut child)?;
        return Err(anyhow!(if ended { "it ended while it started" } else { "it does not answer" }));
    }
    Ok(Running {
        name: server.name().to_owned(),
        variable: server.variable().to_owned(),
        url: server.url(place),
        process,
        stop_signal: server.stop_signal().to_owned(),
    })
}

fn give_up(child: &mut Child) -> Result<()> {
    drop(child.kill());
    child.wait().context("cannot wait for it")?;
    Ok(())
}

/// Runs as the account, in the folder, with all output in the log. A group of its own keeps it from the
/// terminal's interrupt, which is meant for the tests.
fn spawn(mut command: Command, place: &Place) -> Result<Child> {
    prepare_command(&mut command, place)?;
    command.process_group(0);
    command.spawn().with_context(|| format!("cannot start `{}`", crate::command::line(&command)))
}

/// Points a command of a server at its place; its output goes to the end of the log.
pub(super) fn prepare_command(command: &mut Command, place: &Place) -> Result<()> {
    let log = File::options()
        .create(true)
        .append(true)
        .open(place.folder.join(LOG))
        .context("cannot open the log")?;
    let again = log.try_clone().context("cannot share the log")?;
    command.current_dir(&place.folder).stdin(Stdio::null()).stdout(log).stderr(again);
    place.account.apply(command);
    Ok(())
}

fn place(folder: PathBuf, account: Account) -> Result<Place> {
    account.create_folder(&folder)?;
    Ok(Place { folder, port: free_port()?, password: password()?, account })
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no port is free")?;
    Ok(listener.local_addr()?.port())
}

/// Other accounts of the machine can reach the port, so that the servers ask for a password.
fn password() -> Result<String> {
    let mut bytes = [0; size_of::<u128>()];
    File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).context("no random bytes")?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

fn log_tail(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join(LOG)).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    format!("the end of its log:\n{}", lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..].join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{log_tail, password};
    use std::fs;

    #[test]
    fn passwords_differ_and_need_no_quoting() {
        let (one, two) = (password().expect("random bytes"), password().expect("random bytes"));
        assert_ne!(one, two);
        assert!(one.len() == 32 && one.chars().all(char::is_alphanumeric), "{one}");
    }

    #[test]
    fn an_error_shows_the_end_of_the_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let lines: Vec<String> = (0..100).map(|number| format!("line {number}.")).collect();
        fs::write(folder.path().join("log"), lines.join("\n")).expect("a log");
        let tail = log_tail(folder.path());
        assert!(
            tail.ends_with("line 99.") && tail.contains("line 80.") && !tail.contains("line 79."),
            "{tail}"
        );
    }
}
