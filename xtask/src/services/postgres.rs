//! Postgres: a cluster made for one run, reachable by password over loopback alone.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::launch::prepare_command;
use super::server::{Place, Server, folder_with, search_path};
use crate::command;

/// The cluster's own superuser: tests create schemas and end sessions.
const USER: &str = "queue";
/// Debian keeps each version apart, outside `PATH`.
const VERSIONS: &str = "/usr/lib/postgresql";
const PROGRAMS: &[&str] = &["initdb", "postgres"];

/// Many test processes, each with a pool. Nothing here survives the machine, so nothing waits for the disk.
const SETTINGS: &[&str] = &[
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=300",
    "fsync=off",
    "full_page_writes=off",
];

pub(super) struct Postgres;

impl Server for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn variable(&self) -> &'static str {
        "QUEUE_TEST_POSTGRES_URL"
    }

    fn package(&self) -> &'static str {
        "postgresql"
    }

    fn find(&self) -> Option<PathBuf> {
        folder_with(newest_first(installed_versions()).into_iter().chain(search_path()), PROGRAMS)
    }

    fn prepare(&self, bin: &Path, place: &Place) -> Result<()> {
        let password_file = place.folder.join("password");
        place.account.write(&password_file, &place.password)?;
        let mut initdb = Command::new(bin.join("initdb"));
        initdb.arg("--pgdata").arg(data(place)).arg("--pwfile").arg(&password_file);
        initdb.args([
            "--username",
            USER,
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        prepare_command(&mut initdb, place)?;
        command::run(&mut initdb)
    }

    fn command(&self, bin: &Path, place: &Place) -> Command {
        let mut postgres = Command::new(bin.join("postgres"));
        postgres.arg("-D").arg(data(place)).arg("-p").arg(place.port.to_string());
        for setting in SETTINGS {
            postgres.args(["-c", setting]);
        }
        postgres
    }

    /// The server writes its state into its own data folder, so no other one can be mistaken for it.
    fn is_ready(&self, place: &Place) -> bool {
        fs::read_to_string(data(place).join("postmaster.pid")).is_ok_and(|text| says_ready(&text))
    }

    fn url(&self, place: &Place) -> String {
        format!("postgres://{USER}:{}@127.0.0.1:{}/postgres", place.password, place.port)
    }

    /// `TERM` would wait for clients to leave.
    fn stop_signal(&self) -> &'static str {
        "INT"
    }
}

fn data(place: &Place) -> PathBuf {
    place.folder.join("data")
}

fn says_ready(pid_file: &str) -> bool {
    pid_file.lines().last().is_some_and(|line| line.trim() == "ready")
}

fn installed_versions() -> Vec<PathBuf> {
    let entries = fs::read_dir(VERSIONS).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Folders of programs, by version as a number: 9 is older than 15.
fn newest_first(mut versions: Vec<PathBuf>) -> Vec<PathBuf> {
    versions.sort_by_key(|path| Reverse(version(path)));
    versions.into_iter().map(|version| version.join("bin")).collect()
}

fn version(path: &Path) -> Option<Vec<u32>> {
    path.file_name()?.to_str()?.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::{PathBuf, newest_first, says_ready};

    #[test]
    fn versions_are_compared_as_numbers() {
        let sorted = newest_first(vec!["v/9.6".into(), "v/15".into(), "v/old".into(), "v/17".into()]);
        assert_eq!(sorted, ["v/17/bin", "v/15/bin", "v/9.6/bin", "v/old/bin"].map(PathBuf::from));
    }

    #[test]
    fn only_the_last_line_says_ready() {
        assert!(says_ready("12\n/data\n1700000000\n5432\n\n127.0.0.1\n  1  2\nready   \n"));
        assert!(!says_ready("12\n/ready\n1700000000\n5432\n\n127.0.0.1\n  1  2\nstarting\n"));
        assert!(!says_ready(""));
    }
}
