//! `cargo xtask soak`: long runs that show that nothing hangs, no answer is wrong, and no memory
//! grows.

#[cfg(test)]
mod decoder_tests;
mod decoders;
mod fuzz;

use anyhow::Result;

use crate::repo::Repo;
use crate::{clients, command};

/// Builds the program of the end-to-end tests with optimization and passes the arguments on; the
/// program itself documents them. `clients` and `pages` need programs of other languages beside it,
/// and `fuzz` is made of tests.
pub(crate) fn run(repo: &Repo, arguments: &[String]) -> Result<()> {
    match arguments {
        [first, rest @ ..] if first == "fuzz" => return fuzz::run(repo, rest),
        [first, rest @ ..] => {
            if let Some(long) = clients::Long::of(first) {
                return clients::soak(repo, long, rest);
            }
        }
        [] => {}
    }
    let mut program =
        command::cargo(repo, &["run", "--quiet", "--release", "-p", "queue-e2e", "--bin", "soak", "--"]);
    command::run(program.args(arguments))
}
