//! `cargo xtask fix`: repairs what tools can repair without a person.

use anyhow::Result;

use crate::command;
use crate::repo::Repo;

/// Clippy runs first, since its changes are not formatted.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let clippy = [
        "clippy",
        "--fix",
        "--allow-dirty",
        "--allow-staged",
        "--workspace",
        "--all-targets",
        "--all-features",
    ];
    command::run(&mut command::cargo(repo, &clippy))?;
    command::run(&mut command::cargo(repo, &["fmt", "--all"]))
}
