//! A service that settles by the id of a job and ignores the token of the receipt: the run of
//! `cargo xtask soak clients` must turn red, by the checker of histories.

use std::process::Command;

use anyhow::{Result, bail, ensure};

use super::mistake::{Mistake, Test, VARIABLE};
use super::tree;
use crate::built::Built;
use crate::repo::Repo;
use crate::{clients, command};

pub(super) const MISTAKES: &[Mistake] = &[Mistake {
    name: "a settle goes by the id of its job and its token is ignored",
    file: "crates/queue-core/src/lifecycle/apply.rs",
    right: "compare(job, &transition.guard, now)",
    wrong: "if matches!(transition.guard.proof, Proof::Lease { settle: Some(_), .. }) && job.token.is_some() \
        { Ok(()) } else { compare(job, &transition.guard, now) }",
    caught_by: Test { package: "queue-e2e", target: "soak", name: "clients" },
}];

/// Each worker is stopped often, so that it wakes up when its jobs have other holders.
const RUN: [&str; 6] = ["--kills", "150", "--per-round", "150", "--store", "sqlite"];
/// The checker's words for a change under a token that a newer claim has replaced.
const STALE: &str = "was changed under a token older than its newest claim";

/// Sees the run green first, and then red under each mistake, with what the checker says.
pub(super) fn run(repo: &Repo) -> Result<()> {
    let copy = tree::copy(repo, MISTAKES)?;
    let target = copy.with_file_name("target");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--package", "queue-cli", "--all-features"]).current_dir(&copy);
    command::run(build.env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", "-Awarnings"))?;
    let programs = Built { queue: target.join("debug/queue"), soak: Built::make(repo)?.soak };
    command::run(clients::soaking(repo, &programs, clients::Long::Clients)?.args(RUN).env_remove(VARIABLE))?;
    for Mistake { name, .. } in MISTAKES {
        let output = clients::soaking(repo, &programs, clients::Long::Clients)?
            .args(RUN)
            .env(VARIABLE, name)
            .output()?;
        let told = String::from_utf8_lossy(&output.stdout);
        println!("{told}");
        ensure!(!output.status.success(), "nobody notices: {name}");
        if !told.contains(STALE) {
            bail!("something else than the checker noticed: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    Ok(())
}
