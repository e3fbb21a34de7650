//! What a server is: a row of a table and, once it has a place, a plan that anything can carry out.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::programs::Package;

/// One kind of server, of one process or several.
pub(super) struct Server {
    /// The name people use; the variable that tests read follows from it.
    pub(super) name: &'static str,
    /// The crate whose everyday tests use it. A server without one starts only when it is named.
    pub(super) store: Option<&'static str>,
    /// The name of a server that has to run before this one.
    pub(super) needs: Option<&'static str>,
    /// The only version to take from those that the system keeps side by side.
    pub(super) version: Option<&'static str>,
    /// Where its programs come from if the machine has none.
    pub(super) package: Package,
    pub(super) programs: &'static [&'static str],
    pub(super) ports: usize,
    /// Whether clients have to encrypt and to show a certificate.
    pub(super) tls: bool,
    pub(super) plan: fn(&Place) -> Result<Plan>,
}

/// Where one server lives and what protects it.
pub(super) struct Place {
    /// The folder of its programs.
    pub(super) bin: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) ports: Vec<u16>,
    /// Letters and digits, so that it needs no quoting in a URL or a file.
    pub(super) password: String,
    pub(super) tls: bool,
    pub(super) durability: Durability,
    /// Where the server is that this one needs.
    pub(super) needed_url: Option<String>,
}

/// How a server is started at its place, in this order.
pub(super) struct Plan {
    /// Settings, passwords and keys, for the server's account alone. All users can read a command
    /// line.
    pub(super) files: Vec<(PathBuf, String)>,
    /// Runs to its end before the processes start.
    pub(super) setup: Option<Command>,
    /// In the foreground, since these are the ones to stop; the last one is stopped first.
    pub(super) processes: Vec<Command>,
    /// Ends a process without waiting for its clients.
    pub(super) stop_signal: &'static str,
    /// All of them hold once every process answers.
    pub(super) answers: Vec<Sign>,
    /// Commands of Redis by port, which make one server of the processes.
    pub(super) join: Vec<(u16, String)>,
    /// All of them hold once clients are served.
    pub(super) serves: Vec<Sign>,
    pub(super) url: String,
}

/// What shows how far a server is, and that it is the one started here: a stranger could hold its
/// port, but neither writes into its folder nor knows its password.
pub(super) enum Sign {
    /// A file of its own that ends with a word.
    File(PathBuf, &'static str),
    /// The answer of a Redis to a command, which contains all of these.
    Answer(u16, String, Vec<String>),
}

/// What an answered write has survived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Nothing: fast, for tests, whose data ends with the server.
    None,
    /// The loss of power, as far as the disk is honest: for measurements.
    Disk,
}

impl Server {
    /// The environment variable that says to tests where it is.
    pub(super) fn variable(&self) -> String {
        format!("QUEUE_TEST_{}_URL", self.name.to_uppercase().replace('-', "_"))
    }
}

/// A place for unit tests, in which nothing is ever started.
#[cfg(test)]
pub(super) fn sample_place(ports: usize, tls: bool) -> Place {
    Place {
        bin: "bin".into(),
        folder: "/tmp/x y".into(),
        ports: (1..).take(ports).collect(),
        password: "abc".to_owned(),
        tls,
        durability: Durability::None,
        needed_url: Some("postgres://me:secret@h:5/data".to_owned()),
    }
}
