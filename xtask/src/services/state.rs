//! What is remembered between `up` and `down`: one JSON file for each set of servers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::account::write_private;
use super::process::Process;

/// One set of servers. The file is private, since the URLs hold passwords.
#[derive(Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct State {
    /// The process that the servers are for; nothing where they stay up until told otherwise.
    pub(super) owner: Option<Process>,
    pub(super) folder: PathBuf,
    pub(super) servers: Vec<Running>,
}

/// One server, as soon as the first of its processes is.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Running {
    pub(super) name: String,
    pub(super) variable: String,
    pub(super) url: String,
    pub(super) processes: Vec<Process>,
    pub(super) stop_signal: String,
}

impl State {
    pub(super) fn load(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", file.display()))
    }

    pub(super) fn save(&self, file: &Path) -> Result<()> {
        write_private(file, &serde_json::to_string_pretty(self)?)
    }

    /// Puts a server at the end, in place of what was known of it.
    pub(super) fn note(&mut self, running: &Running) {
        self.servers.retain(|server| server.name != running.name);
        self.servers.push(running.clone());
    }
}

impl Running {
    /// Ends the processes, the last one first. Those that are gone already are fine.
    pub(super) fn stop(&self) -> Result<()> {
        self.processes.iter().rev().try_for_each(|process| process.stop(&self.stop_signal))
    }

    pub(super) fn is_alive(&self) -> bool {
        self.processes.iter().any(Process::is_alive)
    }
}

#[cfg(test)]
mod tests {
    use super::{Process, Running, State};

    fn running(name: &str, processes: Vec<Process>) -> Running {
        Running {
            name: name.to_owned(),
            variable: "URL".to_owned(),
            url: "redis://x".to_owned(),
            processes,
            stop_signal: "TERM".to_owned(),
        }
    }

    #[test]
    fn a_state_is_read_as_it_was_saved() {
        let folder = tempfile::tempdir().expect("a folder");
        let process = Process::of(std::process::id()).expect("this test runs");
        let servers = vec![running("redis", vec![process.clone()])];
        let state = State { owner: Some(process), folder: "x".into(), servers };
        let file = folder.path().join("up.json");
        state.save(&file).expect("it can be saved");
        assert_eq!(State::load(&file).expect("it can be read"), state);
    }

    #[test]
    fn each_server_is_noted_once_as_last_known() {
        let process = Process::of(std::process::id()).expect("this test runs");
        let mut state = State { owner: None, folder: "x".into(), servers: Vec::new() };
        let grown = running("redis", vec![process.clone(), process]);
        for server in [&running("redis", Vec::new()), &running("postgres", Vec::new()), &grown] {
            state.note(server);
        }
        assert_eq!(state.servers, [running("postgres", Vec::new()), grown]);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("up.json");
        std::fs::write(&file, "{").expect("a file");
        let error = State::load(&file).expect_err("half a state");
        assert!(error.to_string().contains("up.json"), "{error}");
    }
}
