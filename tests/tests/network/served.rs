//! A store behind `queue serve`, which is a process of its own, so that it can stand still.

use queue::{RemoteOptions, RemoteStorage, Storage};
use queue_e2e::{CommandDirectory, Process};
use rustix::process::Signal;
use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, sync::Arc, time::Duration};

pub(crate) struct Served {
    process: Process,
    address: String,
    token_file: PathBuf,
    place: CommandDirectory,
}

impl Served {
    /// A service on SQLite.
    pub(crate) fn start() -> Self {
        Self::start_on("sqlite:queue.db")
    }

    pub(crate) fn start_on(store: &str) -> Self {
        let place = CommandDirectory::new(env!("CARGO_BIN_EXE_queue-e2e"));
        place.run(&["token", "rotate-key", "--key-file", "keys.json", "--after", "0s"]).ok();
        let new = ["token", "new", "--tokens", "tokens.json", "--queue", "*", "--scope"];
        let new = [&new[..], &["store", "--scope", "work"]].concat();
        let token_file = place.path().join("store.token");
        fs::write(&token_file, place.run(&new).ok().text().trim()).expect("there is room");
        fs::set_permissions(&token_file, fs::Permissions::from_mode(0o600)).expect("ours");
        let arguments = ["--store", store, "--tokens", "tokens.json", "--key-file", "keys.json"];
        let (process, address) = place.serve("127.0.0.1:0", &arguments);
        Self { process, address, token_file, place }
    }

    /// A handle that takes a server for gone that is silent for so long.
    pub(crate) async fn open(&self, silence_max: Duration) -> Arc<dyn Storage> {
        let options = RemoteOptions::new(&format!("http://{}", self.address)).expect("valid");
        let options = options.token_file(&self.token_file).response_timeout(silence_max);
        loop {
            match RemoteStorage::open(options.clone().connect_timeout(silence_max)).await {
                Ok(store) => return Arc::new(store),
                Err(error) => assert!(error.is_transient(), "{error}"),
            }
        }
    }

    /// Where the store is, and where commands run.
    pub(crate) fn path(&self) -> PathBuf {
        self.place.path()
    }

    /// Starts a command over the service.
    pub(crate) fn command(&self, arguments: &[&str]) -> Process {
        let url = format!("http://{}", self.address);
        let server = ["--queue", "mail", "--server", &url, "--token-file", "store.token"];
        self.place.start(&[arguments, &server].concat())
    }

    /// Has it stand still, while its sockets take connections.
    pub(crate) fn stop(&self) {
        self.process.suspend();
    }

    pub(crate) fn go_on(&self) {
        self.process.signal(Signal::CONT);
    }
}
