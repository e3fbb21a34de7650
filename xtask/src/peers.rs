//! `cargo xtask peers`: measures other job queues beside this one.

use anyhow::Result;

use crate::command;
use crate::repo::Repo;

/// Builds the driver in `benches/peers`, which is outside the workspace, and passes the arguments
/// on; it says itself what they can be.
pub(crate) fn run(repo: &Repo, arguments: &[String]) -> Result<()> {
    let folder = repo.root().join("benches/peers");
    let mut driver = command::cargo(repo, &["run", "--quiet", "--release", "--manifest-path"]);
    driver.arg(folder.join("driver/Cargo.toml")).arg("--target-dir").arg(folder.join("target"));
    command::run(driver.arg("--").args(arguments))
}
