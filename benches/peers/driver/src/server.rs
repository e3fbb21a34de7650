//! A private server, started and stopped by `cargo xtask services`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::catalog::Store;

/// Runs until this is dropped, or this process ends in any way: then the input of the command that
/// the server is for is at its end.
pub(crate) struct Server {
    command: Child,
    pub(crate) url: String,
}

impl Server {
    /// Nothing for a store that needs none. Postgres flushes what it commits, as by default; Redis
    /// keeps nothing.
    pub(crate) fn start(root: &Path, store: Store) -> Result<Option<Self>> {
        let (server, variable) = match store {
            Store::Memory | Store::Files | Store::Sqlite => return Ok(None),
            Store::Postgres => (["--durable", "postgres"].as_slice(), "QUEUE_TEST_POSTGRES_URL"),
            Store::Redis => (["redis"].as_slice(), "QUEUE_TEST_REDIS_URL"),
        };
        // The measurements empty the server: it must not be one that was there before.
        ensure!(std::env::var_os(variable).is_none(), "{variable} is set, and this is for a private server");
        let mut xtask = Command::new("cargo");
        xtask.args(["xtask", "services", "run"]).args(server).args(["--", "sh", "-c"]);
        xtask.arg(format!("echo \"${variable}\"; exec cat")).current_dir(root);
        let mut command = xtask.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = command.stdout.take().context("it has no output")?;
        let mut url = String::new();
        BufReader::new(output).read_line(&mut url)?;
        let server = Self { command, url: url.trim().to_owned() };
        ensure!(!server.url.is_empty(), "the server was not started");
        Ok(Some(server))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.command.stdin.take());
        drop(self.command.wait());
    }
}
