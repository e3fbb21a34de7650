//! `cargo xtask platforms`: which crates compile for which platforms, so that README's table is a
//! finding and no hope.
//!
//! SQLite and the encryption of connections are C, for which `cargo-zigbuild` brings a compiler and
//! the headers of every platform (`pip install cargo-zigbuild ziglang`); the targets are added with
//! `rustup target add`. Nothing is run.

use std::process::Command;

use anyhow::{Result, bail};

use crate::command;
use crate::metadata::published;
use crate::repo::Repo;

/// A platform, and the crates that need what it does not have.
struct Platform {
    target: &'static str,
    without: &'static [&'static str],
}

const PLATFORMS: [Platform; 5] = [
    Platform { target: "aarch64-unknown-linux-gnu", without: &[] },
    Platform { target: "x86_64-unknown-linux-musl", without: &[] },
    Platform { target: "aarch64-apple-darwin", without: &[] },
    Platform { target: "x86_64-unknown-freebsd", without: &[] },
    // Files need a directory that can be flushed and locks of Unix, the command process groups and
    // signals.
    Platform { target: "x86_64-pc-windows-gnu", without: &["queue-fs", "queue-cli"] },
];

/// Tries every platform, then fails if one is not as the table says.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    let mut wrong = Vec::new();
    let packages = published(repo)?;
    for platform in PLATFORMS {
        for package in &packages {
            let has_it = !platform.without.contains(&package.name.as_str());
            let compiles = compile(repo, platform.target, &package.name).is_ok();
            println!(
                "{}: {} {}",
                platform.target,
                package.name,
                if compiles { "compiles" } else { "does not" }
            );
            if compiles != has_it {
                wrong.push(format!("{}: {}", platform.target, package.name));
            }
        }
    }
    if !wrong.is_empty() {
        bail!("not as README's table says:\n{}", wrong.join("\n"));
    }
    Ok(())
}

fn compile(repo: &Repo, target: &str, package: &str) -> Result<()> {
    let mut check = Command::new("cargo-zigbuild");
    check.args(["check", "--quiet", "--target", target, "--package", package]).current_dir(repo.root());
    command::run(&mut check)
}
