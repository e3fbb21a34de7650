//! `cargo xtask planted`: the conformance suite against stores that are wrong on purpose.

use anyhow::Result;

use crate::command;
use crate::repo::Repo;

/// The whole suite on each defect takes a minute or two. The table goes to standard output, to be kept in `docs/TESTING.md`.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let arguments = ["test", "--quiet", "-p", "queue-testkit", "--test", "planted", "--", "--table"];
    command::run(&mut command::cargo(repo, &arguments))
}
