//! A real `queue serve` over a store in memory, with its tokens.

use parking_lot::Mutex;
use queue_e2e::{CommandDirectory, Process};
use queue_testkit::proxy::lasting_address;
use rustix::process::Signal;
use serde_json::Value;
use std::{fmt::Write, fs, os::unix::fs::PermissionsExt, path::PathBuf};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const ALL: [&str; 5] = ["produce", "work", "view", "payload", "operate"];

pub(crate) struct Served {
    place: CommandDirectory,
    process: Mutex<Option<Process>>,
    pub(crate) address: String,
    tokens: Vec<(&'static str, String)>,
}

impl Served {
    pub(crate) async fn start() -> Self {
        tokio::task::spawn_blocking(Self::begin).await.expect("it starts")
    }

    fn begin() -> Self {
        let place = CommandDirectory::new(env!("CARGO_BIN_EXE_queue-e2e"));
        place.run(&["token", "rotate-key", "--key-file", "keys.json", "--after", "0s"]).ok();
        let of = |scopes: &[&str]| {
            let scopes = scopes.iter().flat_map(|scope| ["--scope", scope]);
            let new = ["token", "new", "--tokens", "tokens.json", "--queue", "*"];
            let arguments: Vec<&str> = new.into_iter().chain(scopes).collect();
            place.run(&arguments).ok().text().trim().to_owned()
        };
        let tokens = vec![
            ("all", of(&ALL)),
            ("produce", of(&["produce"])),
            ("work", of(&["work"])),
            ("store", of(&["store"])),
            ("none", String::new()),
        ];
        let file = place.path().join("store.token");
        fs::write(&file, &tokens[3].1).expect("there is room");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("ours");
        let (process, address) = listening(&place, &lasting_address().expect("a free port").to_string());
        Self { place, process: Mutex::new(Some(process)), address, tokens }
    }

    /// The file of the token for remote stores.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.place.path().join("store.token")
    }

    pub(crate) fn kill(&self) {
        if let Some(process) = self.process.lock().take() {
            process.signal(Signal::KILL);
            process.wait();
        }
    }

    /// Starts again where it was.
    pub(crate) fn restart(&self) {
        *self.process.lock() = Some(listening(&self.place, &self.address).0);
    }

    /// A bare call: its status, and its answer as JSON or text.
    pub(crate) async fn call(
        &self,
        line: &str,
        token: &str,
        headers: &[(String, String)],
        body: Option<&str>,
    ) -> Result<(u16, Value), String> {
        let mut stream = TcpStream::connect(&self.address).await.map_err(|error| error.to_string())?;
        let token = self.tokens.iter().find(|(name, _)| *name == token).map_or("", |(_, token)| token);
        let mut head = format!("{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
        let mut usual = vec![("content-type".to_owned(), "application/json".to_owned())];
        if !token.is_empty() {
            usual.push(("authorization".to_owned(), format!("Bearer {token}")));
        }
        usual.retain(|(name, _)| headers.iter().all(|(given, _)| given != name));
        for (name, value) in usual.iter().chain(headers) {
            write!(head, "{name}: {value}\r\n").expect("text has room");
        }
        let body = body.unwrap_or_default();
        write!(head, "content-length: {}\r\n\r\n{body}", body.len()).expect("text has room");
        stream.write_all(head.as_bytes()).await.map_err(|error| error.to_string())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.map_err(|error| error.to_string())?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("there is no answer")?;
        let status =
            head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or("there is no status")?;
        Ok((status, serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned()))))
    }
}

fn listening(place: &CommandDirectory, address: &str) -> (Process, String) {
    place.serve(address, &["--store", "memory:", "--tokens", "tokens.json", "--key-file", "keys.json"])
}
