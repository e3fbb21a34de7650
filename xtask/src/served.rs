//! A `queue serve` that a check starts for its own use, on a free port of this machine.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// How the line begins with which the program names its address.
const LISTENING: &str = "listening at ";

/// A server; dropping it ends it.
pub(crate) struct Served {
    process: Child,
    /// Where it listens, without a slash at the end.
    pub(crate) url: String,
}

impl Served {
    /// Starts the command, which is a `queue serve`, and waits until it listens.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let process = command.stdout(Stdio::piped()).spawn();
        let process = process.context("cannot start the server")?;
        let mut server = Self { process, url: String::new() };
        let output = server.process.stdout.take().expect("it is piped");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let Some(address) = line.trim().strip_prefix(LISTENING) else { bail!("the server said {line:?}") };
        address.trim_end_matches('/').clone_into(&mut server.url);
        Ok(server)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Both fail if it has ended already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
