//! Starts one server and waits until it serves.

use std::fs::{self, File};
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow};

use super::account::Account;
use super::children::Children;
use super::server::{Durability, Place, Server};
use super::state::Running;

/// Somebody else may take a free port before the server does, so a start is tried again on another.
const TRIES_MAX: u32 = 3;
const LOG_LINES_SHOWN: usize = 20;
const LOG: &str = "log";

/// How one server is to be started.
pub(super) struct Launch<'a> {
    pub(super) server: &'a dyn Server,
    pub(super) bin: &'a Path,
    /// The server gets a folder of its own below this one.
    pub(super) folder: &'a Path,
    pub(super) account: Account,
    pub(super) durability: Durability,
    pub(super) needed_url: Option<String>,
}

impl Launch<'_> {
    /// Starts it. A failed try leaves no process behind. Each process is told to `note` as soon as
    /// it is there, so that it can be found again if this program is killed while it waits.
    pub(super) fn start(&self, note: &mut dyn FnMut(&Running) -> Result<()>) -> Result<Running> {
        let mut last = anyhow!("no try was made");
        for attempt in 1..=TRIES_MAX {
            let place = self.place(attempt)?;
            match self.try_start(&place, note) {
                Ok(running) => return Ok(running),
                Err(error) => last = error.context(log_tail(&place.folder)),
            }
        }
        Err(last.context(format!("{} does not start", self.server.name())))
    }

    fn try_start(&self, place: &Place, note: &mut dyn FnMut(&Running) -> Result<()>) -> Result<Running> {
        let server = self.server;
        server.prepare(self.bin, place)?;
        let mut running = running(server, place);
        let mut children = Children::default();
        for mut command in server.commands(self.bin, place) {
            prepare_command(&mut command, place)?;
            running.processes.push(children.spawn(command)?);
            note(&running)?;
        }
        children.wait_until(|| server.answers(place))?;
        server.join(place)?;
        children.wait_until(|| server.is_ready(place))?;
        children.leave_running();
        Ok(running)
    }

    fn place(&self, attempt: u32) -> Result<Place> {
        let folder = self.folder.join(format!("{}-{attempt}", self.server.name()));
        self.account.create_folder(&folder)?;
        Ok(Place {
            folder,
            ports: free_ports(self.server.ports())?,
            password: password()?,
            account: self.account,
            durability: self.durability,
            needed_url: self.needed_url.clone(),
        })
    }
}

fn running(server: &dyn Server, place: &Place) -> Running {
    Running {
        name: server.name().to_owned(),
        variable: server.variable().to_owned(),
        url: server.url(place),
        processes: Vec::new(),
        stop_signal: server.stop_signal().to_owned(),
    }
}

/// Lets a command of a server run as its account, in its folder, with all output at the end of the
/// log.
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

/// Held all at once, so that no two are the same.
fn free_ports(count: usize) -> Result<Vec<u16>> {
    let listeners: Vec<_> = (0..count)
        .map(|_| TcpListener::bind(("127.0.0.1", 0)))
        .collect::<Result<_, _>>()
        .context("no port is free")?;
    listeners.iter().map(|listener| Ok(listener.local_addr()?.port())).collect()
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
    use super::{free_ports, log_tail, password};
    use std::fs;

    #[test]
    fn passwords_differ_and_need_no_quoting() {
        let (one, two) = (password().expect("random bytes"), password().expect("random bytes"));
        assert_ne!(one, two);
        assert!(one.len() == 32 && one.chars().all(char::is_alphanumeric), "{one}");
    }

    #[test]
    fn no_port_is_given_twice() {
        let mut ports = free_ports(50).expect("free ports");
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 50);
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
