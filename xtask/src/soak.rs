//! `cargo xtask soak`: long runs that show that nothing hangs, no answer is wrong, and no memory
//! grows.

use anyhow::Result;

use crate::command;
use crate::repo::Repo;

/// Builds the program of the end-to-end tests with optimization and passes the arguments on; the
/// program itself documents them.
pub(crate) fn run(repo: &Repo, arguments: &[String]) -> Result<()> {
    let mut program =
        command::cargo(repo, &["run", "--quiet", "--release", "-p", "queue-e2e", "--bin", "soak", "--"]);
    command::run(program.args(arguments))
}
