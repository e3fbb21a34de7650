//! This program in place of rustdoc: it calls the real one and asks it for the JSON of the crates
//! whose surface is listed. The documentation of the others becomes pages, as always. Both find the
//! same faults of documentation, so that no crate needs to be read twice.
//!
//! Permission to use unstable features is given to rustdoc alone. In cargo's environment it would
//! make every dependency choose other code and be compiled again.

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use super::Others;
use crate::command;
use crate::metadata::Package;
use crate::repo::Repo;

/// The variable that names the real rustdoc when cargo calls this program in its place.
const REAL: &str = "QUEUE_XTASK_RUSTDOC";
/// The libraries of which JSON is written, between spaces.
const AS_JSON: &str = "QUEUE_XTASK_AS_JSON";

/// Does rustdoc's work if cargo called this program as rustdoc.
pub(crate) fn as_rustdoc() -> Option<ExitCode> {
    let mut rustdoc = Command::new(env::var_os(REAL)?);
    rustdoc.args(env::args_os().skip(1));
    if is_listed(&env::args().collect::<Vec<_>>(), &env::var(AS_JSON).unwrap_or_default()) {
        rustdoc.env("RUSTC_BOOTSTRAP", "1").args(["-Z", "unstable-options", "--output-format", "json"]);
    }
    let is_done = rustdoc.status().is_ok_and(|status| status.success());
    Some(if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether rustdoc reads one of these crates. Without a crate cargo only asks for the version.
fn is_listed(arguments: &[String], libraries: &str) -> bool {
    let mut names = arguments.windows(2).filter(|two| two[0] == "--crate-name").map(|two| &two[1]);
    names.any(|name| libraries.split(' ').any(|library| library == name))
}

/// Documents crates with all their features, these ones as JSON. A warning is an error.
pub(super) fn document(repo: &Repo, crates: &[Package], others: Others) -> Result<()> {
    let mut arguments = vec!["doc", "--quiet", "--no-deps", "--all-features"];
    match others {
        Others::Documented => arguments.push("--workspace"),
        Others::LeftOut => {
            arguments.extend(crates.iter().flat_map(|each| ["--package", each.name.as_str()]));
        }
    }
    let this = env::current_exe().context("this program has no path")?;
    let real = env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    let libraries: Vec<_> = crates.iter().map(|each| each.library().replace('-', "_")).collect();
    let mut cargo = command::cargo(repo, &arguments);
    cargo.env("RUSTDOCFLAGS", "-D warnings").env("RUSTDOC", this);
    command::run(cargo.env(REAL, real).env(AS_JSON, libraries.join(" ")))
}

/// The path of a library's JSON.
pub(super) fn json_of(repo: &Repo, library: &str) -> PathBuf {
    repo.target().join("doc").join(format!("{}.json", library.replace('-', "_")))
}

#[cfg(test)]
mod tests {
    use super::is_listed;

    #[test]
    fn only_crates_that_are_named_become_json() {
        let read = |name: &str| ["rustdoc", "--crate-name", name, "src/lib.rs"].map(str::to_owned);
        assert!(is_listed(&read("queue_core"), "queue queue_core"));
        assert!(!is_listed(&read("xtask"), "queue queue_core"));
        assert!(!is_listed(&["rustdoc".to_owned(), "-vV".to_owned()], "queue queue_core"));
    }
}
