//! `cargo xtask release --dry-run`: makes every file of a release in one folder, and proves each by
//! using it as a user would, away from this work tree.
//!
//! The folder appears only once every proof has passed, so it never holds a file that was refused.
//! What this machine cannot prove is printed as `NOT PROVED` lines, and is no error. Publishing is
//! deliberately absent: a person does it, by `docs/RELEASING.md`.

mod binary;
mod containerfile;
mod crates;
mod empty_root;
mod image;
mod linkage;
mod made;
mod manual;
mod node;
mod python;
mod shells;
mod tree;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;

use self::empty_root::EmptyRoot;
use self::made::Made;
use crate::repo::Repo;
use crate::scratch::Scratch;

/// The name of the folder below `target`.
const FOLDER: &str = "release-files";
/// The texts that go with the files.
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];
/// The service that clients are proved with, in the directory in which it starts.
const SERVE: [&str; 9] = [
    "serve",
    "--create",
    "--no-auth",
    "--listen",
    "127.0.0.1:0",
    "--log",
    "error",
    "--store",
    "sqlite:served.db",
];

#[derive(Args)]
pub(crate) struct Wanted {
    /// Publish nothing; without it the command refuses
    #[arg(long)]
    dry_run: bool,
    /// The folder for the files; its files of an earlier run are replaced [default: release-files
    /// in the target directory]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

/// Makes and proves everything, prints a line for each file, and then fills the folder.
pub(crate) fn run(repo: &Repo, wanted: &Wanted) -> Result<()> {
    ensure!(
        wanted.dry_run,
        "publishing is done by hand, as docs/RELEASING.md says; `cargo xtask release --dry-run` makes \
         the files and proves them"
    );
    let into = wanted.into.clone().unwrap_or_else(|| repo.target().join(FOLDER));
    made::require_replaceable(&into)?;
    println!("{}", tree::state(repo)?);
    fs::create_dir_all(repo.target()).context("no target directory")?;
    let scratch = Scratch::new(&repo.target(), "release-proof-", 0o755)?;
    let mut made = Made::new(scratch.path().join("files"))?;

    let queue = binary::make(repo, &mut made)?;
    let root = EmptyRoot::new(scratch.path().join("root"), &queue)?;
    binary::prove(&queue, &root, &mut made)?;
    for licence in LICENCES {
        made.copy(&repo.root().join(licence), licence, "the text of the work tree")?;
    }
    image::make(repo, &root, &mut made)?;
    shells::make(&queue.path, &scratch.path().join("shells"), &mut made)?;
    manual::make(&queue.path, &mut made)?;
    python::make(repo, &queue.path, &scratch.path().join("python"), &mut made)?;
    node::make(repo, &queue.path, &scratch.path().join("node"), &mut made)?;
    crates::make(repo, &scratch.path().join("crates"), &mut made)?;

    made.write_sums()?;
    for line in made.lines()? {
        println!("{line}");
    }
    made.fill(&into)?;
    println!("the files are in {}", into.display());
    Ok(())
}
