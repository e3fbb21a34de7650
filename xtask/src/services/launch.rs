//! Carries out the plan of a server, and waits until it serves.

use std::fs::{self, File};
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};

use super::account::Account;
use super::process::{LOG, Process, prepare, until};
use super::server::{Durability, Place, Plan, Server, Sign};
use super::sign;
use crate::command;

/// Another program may take a free port before the server does, so a start is tried again on
/// another.
const TRIES_MAX: u32 = 3;
/// How long a server may take to come up, on a machine that is busy with other things.
const UP_MAX: Duration = Duration::from_mins(1);
const LOG_LINES_SHOWN: usize = 20;

/// How one server is to be started.
pub(super) struct Launch<'a> {
    pub(super) server: &'a Server,
    pub(super) bin: &'a Path,
    /// The server gets a folder of its own below this one.
    pub(super) folder: &'a Path,
    pub(super) account: Account,
    pub(super) durability: Durability,
    pub(super) needed_url: Option<String>,
}

/// A server that serves, until this is dropped.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) name: &'static str,
    pub(super) variable: String,
    pub(super) url: String,
    processes: Vec<Process>,
}

impl Launch<'_> {
    /// Starts it. A failed try leaves no process behind.
    pub(super) fn start(&self) -> Result<Running> {
        let mut last = anyhow!("no try was made");
        for attempt in 1..=TRIES_MAX {
            let place = self.place(attempt)?;
            match self.try_start(&place) {
                Ok(running) => return Ok(running),
                Err(error) => last = error.context(log_tail(&place.folder)),
            }
        }
        Err(last.context(format!("{} does not start", self.server.name)))
    }

    fn try_start(&self, place: &Place) -> Result<Running> {
        let Plan { files, setup, processes, stop_signal, answers, join, serves, url } =
            (self.server.plan)(place)?;
        for (path, text) in files {
            self.account.write(&path, &text)?;
        }
        if let Some(mut setup) = setup {
            prepare(&mut setup, &place.folder, self.account)?;
            command::run(&mut setup)?;
        }
        let (name, variable) = (self.server.name, self.server.variable());
        let mut running = Running { name, variable, url, processes: Vec::new() };
        for process in processes {
            let process = Process::start(&process, &place.folder, self.account, stop_signal)?;
            running.processes.push(process);
        }
        running.wait_for(&answers, &place.password)?;
        for (port, told) in join {
            sign::ask(port, &place.password, &told)?;
        }
        running.wait_for(&serves, &place.password)?;
        Ok(running)
    }

    fn place(&self, attempt: u32) -> Result<Place> {
        let folder = self.folder.join(format!("{}-{attempt}", self.server.name));
        self.account.create_folder(&folder)?;
        Ok(Place {
            bin: self.bin.to_owned(),
            folder,
            ports: free_ports(self.server.ports)?,
            password: password()?,
            tls: self.server.tls,
            durability: self.durability,
            needed_url: self.needed_url.clone(),
        })
    }
}

impl Running {
    /// No longer than all of its processes run.
    fn wait_for(&mut self, signs: &[Sign], password: &str) -> Result<()> {
        let mut has_ended = false;
        let is_there = until(UP_MAX, || {
            has_ended = self.processes.iter_mut().any(Process::has_ended);
            has_ended || signs.iter().all(|sign| sign.is_there(password))
        });
        ensure!(!has_ended, "it ended while it started");
        ensure!(is_there, "it does not answer as it should");
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        while let Some(last) = self.processes.pop() {
            drop(last);
        }
    }
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
    use super::{Launch, Process, Running};
    use crate::services::account::Account;
    use crate::services::server::{Durability, Place, Plan, Server, Sign};
    use crate::services::table::SERVERS;
    use anyhow::Result;
    use std::path::Path;
    use std::process::Command;

    /// Two processes, of which the second ends in the first `failures` tries.
    fn plan(place: &Place, failures: u32) -> Plan {
        let (log, attempts) = (place.folder.display(), place.folder.with_file_name("attempts"));
        let attempt = attempts.display();
        let mut sleep = Command::new("sleep");
        sleep.arg("600");
        let mut second = Command::new("sh");
        second.arg("-c").arg(format!(
            "echo x >> {attempt}; echo line of {log}; test $(wc -l < {attempt}) -gt {failures} || exit 1; \
             echo up > up; exec sleep 600"
        ));
        Plan {
            files: Vec::new(),
            setup: None,
            processes: vec![sleep, second],
            stop_signal: "TERM",
            answers: vec![Sign::File(place.folder.join("up"), "up")],
            join: Vec::new(),
            serves: Vec::new(),
            url: format!("sleeper://{}", place.ports[0]),
        }
    }

    fn start(plan: fn(&Place) -> Result<Plan>, folder: &Path) -> Result<Running> {
        let server = Server { name: "sleeper", plan, ports: 2, ..SERVERS[0] };
        let (bin, account, durability) = (Path::new(""), Account::Own, Durability::None);
        Launch { server: &server, bin, folder, account, durability, needed_url: None }.start()
    }

    #[test]
    fn a_failed_try_is_followed_by_another_and_a_server_that_never_starts_is_given_up_with_its_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut running = start(|place| Ok(plan(place, 1)), folder.path()).expect("the second try works");
        assert!(running.url.starts_with("sleeper://") && running.variable == "QUEUE_TEST_SLEEPER_URL");
        assert!(!running.processes.iter_mut().any(Process::has_ended));
        assert!(folder.path().join("sleeper-2/up").exists());

        let folder = tempfile::tempdir().expect("a folder");
        let error = start(|place| Ok(plan(place, 3)), folder.path()).expect_err("it never starts");
        let error = format!("{error:#}");
        for part in ["sleeper does not start", "it ended while it started", "line of", "sleeper-3"] {
            assert!(error.contains(part), "{part} in {error}");
        }
    }
}
