//! Starts that work, fail and are tried again, with a server that only sleeps.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, anyhow, ensure};

use super::account::Account;
use super::launch::Launch;
use super::package::Package;
use super::process::Process;
use super::server::{Durability, Place, Server};
use super::state::Running;

/// Two processes, whose first tries to join fail.
struct Sleeper {
    failures: usize,
    joins: AtomicUsize,
}

impl Server for Sleeper {
    fn name(&self) -> &'static str {
        "sleeper"
    }

    fn variable(&self) -> &'static str {
        "SLEEPER"
    }

    fn store(&self) -> Option<&'static str> {
        None
    }

    fn package(&self) -> Package {
        Package::Debian("coreutils")
    }

    fn find(&self) -> Option<PathBuf> {
        None
    }

    fn ports(&self) -> usize {
        2
    }

    fn prepare(&self, _bin: &Path, _place: &Place) -> Result<()> {
        Ok(())
    }

    fn commands(&self, _bin: &Path, place: &Place) -> Vec<Command> {
        place.ports.iter().map(|_| sleep()).collect()
    }

    fn answers(&self, _place: &Place) -> bool {
        true
    }

    fn join(&self, _place: &Place) -> Result<()> {
        let before = self.joins.fetch_add(1, Ordering::Relaxed);
        ensure!(before >= self.failures, "no luck");
        Ok(())
    }

    fn url(&self, place: &Place) -> String {
        format!("sleeper://{}", place.port())
    }

    fn stop_signal(&self) -> &'static str {
        "TERM"
    }
}

fn sleep() -> Command {
    let mut sleep = Command::new("sleep");
    sleep.arg("600");
    sleep
}

/// Starts it, and returns what was noted meanwhile.
fn start(failures: usize, note: impl Fn(&Running) -> Result<()>) -> (Result<Running>, Vec<Running>) {
    let root = tempfile::tempdir().expect("a folder");
    let server = Sleeper { failures, joins: AtomicUsize::new(0) };
    let launch = Launch {
        server: &server,
        bin: Path::new(""),
        folder: root.path(),
        account: Account::Own,
        durability: Durability::None,
        needed_url: None,
    };
    let noted = RefCell::new(Vec::new());
    let outcome = launch.start(&mut |running| {
        noted.borrow_mut().push(running.clone());
        note(running)
    });
    (outcome, noted.into_inner())
}

fn is_any_alive<'a>(servers: impl IntoIterator<Item = &'a Running>) -> bool {
    servers.into_iter().flat_map(|server| &server.processes).any(Process::is_alive)
}

#[test]
fn each_process_is_noted_as_soon_as_it_is_there() {
    let (running, noted) = start(0, |_| Ok(()));
    let running = running.expect("nothing fails");
    assert_eq!(noted.iter().map(|server| server.processes.len()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(noted.last(), Some(&running));
    assert!(running.processes.iter().all(Process::is_alive));
    running.stop().expect("sleep obeys");
    assert!(!is_any_alive([&running]));
}

#[test]
fn a_failed_try_is_cleared_away_before_the_next() {
    let (running, noted) = start(1, |_| Ok(()));
    let running = running.expect("the second try works");
    assert_eq!(noted.len(), 4);
    assert!(!is_any_alive(&noted[..2]));
    running.stop().expect("sleep obeys");
}

#[test]
fn a_server_that_never_joins_is_given_up() {
    let (running, noted) = start(usize::MAX, |_| Ok(()));
    let error = format!("{:#}", running.expect_err("it never joins"));
    assert!(error.contains("sleeper does not start") && error.contains("no luck"), "{error}");
    assert_eq!((noted.len(), is_any_alive(&noted)), (6, false));
}

#[test]
fn a_process_that_cannot_be_noted_is_not_left_alone() {
    let (running, noted) = start(0, |_| Err(anyhow!("the disk is full")));
    assert!(running.is_err());
    assert!(!is_any_alive(&noted));
}
