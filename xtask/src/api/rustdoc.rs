//! This program in place of rustdoc: it calls the real one and asks it for JSON.
//!
//! Permission to use unstable features is given to rustdoc alone. In cargo's environment it would
//! make every dependency choose other code and be compiled anew.

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::command;
use crate::repo::Repo;

/// The variable that names the real rustdoc when cargo calls this program in its place.
const REAL: &str = "QUEUE_XTASK_RUSTDOC";

/// Does rustdoc's work if cargo called this program as rustdoc.
pub(crate) fn as_rustdoc() -> Option<ExitCode> {
    let mut rustdoc = Command::new(env::var_os(REAL)?);
    rustdoc.args(env::args_os().skip(1));
    // Without a crate cargo only asks for the version.
    if env::args_os().any(|argument| argument == "--crate-name") {
        rustdoc.env("RUSTC_BOOTSTRAP", "1").args(["-Z", "unstable-options", "--output-format", "json"]);
    }
    let is_done = rustdoc.status().is_ok_and(|status| status.success());
    Some(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the JSON of each crate, with all its features.
pub(super) fn write_json<'a>(repo: &Repo, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut arguments = vec!["doc", "--quiet", "--lib", "--no-deps", "--all-features"];
    arguments.extend(names.flat_map(|name| ["--package", name]));
    let this = env::current_exe().context("this program has no path")?;
    let real = env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    command::run(command::cargo(repo, &arguments).env("RUSTDOC", this).env(REAL, real))
}

/// The path of a library's JSON.
pub(super) fn json_of(repo: &Repo, library: &str) -> PathBuf {
    repo.target().join("doc").join(format!("{}.json", library.replace('-', "_")))
}
