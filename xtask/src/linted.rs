//! Lints and programs from one compilation.
//!
//! `cargo clippy` reads every crate as a build does, and leaves nothing that a program can be made
//! of. Its driver is a compiler: where cargo builds the crates of this workspace with it, lints are
//! found on the way. Cargo keeps what it built so apart from what it builds with the compiler.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command;
use crate::repo::Repo;

/// What `cargo clippy -- -D warnings` passes to its driver.
const LINTS: (&str, &str) = ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");

/// A call of cargo that builds crates of this workspace and refuses what a lint finds.
pub(crate) fn cargo(repo: &Repo, arguments: &[&str]) -> Result<Command> {
    let mut cargo = command::cargo(repo, arguments);
    cargo.env("RUSTC_WORKSPACE_WRAPPER", driver()?).env(LINTS.0, LINTS.1);
    Ok(cargo)
}

/// Beside the compiler.
fn driver() -> Result<PathBuf> {
    let told = command::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let root = String::from_utf8(told).context("the path of Rust is no text")?;
    let driver = PathBuf::from(root.trim_end()).join("bin/clippy-driver");
    ensure!(driver.exists(), "clippy is not installed: there is no {}", driver.display());
    Ok(driver)
}
