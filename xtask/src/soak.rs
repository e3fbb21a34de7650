//! `cargo xtask soak`: long runs that show that nothing hangs, is answered wrong, or grows.

use anyhow::Result;

use crate::command;
use crate::repo::Repo;

/// Builds the program of the end-to-end tests with optimisation and passes the arguments on; it
/// says itself what they can be.
pub(crate) fn run(repo: &Repo, arguments: &[String]) -> Result<()> {
    let mut program =
        command::cargo(repo, &["run", "--quiet", "--release", "-p", "queue-e2e", "--bin", "soak", "--"]);
    command::run(program.args(arguments))
}
