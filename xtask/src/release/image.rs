//! The file from which others build an image.
//!
//! No image is built here. The proof does what the file says in an empty root: it copies the files,
//! and runs the program with the variables, the user and the arguments that a container would have.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::binary::work_a_job;
use super::containerfile::Containerfile;
use super::empty_root::EmptyRoot;
use super::made::Made;
use crate::command;
use crate::repo::Repo;
use crate::served::Served;

const NAME: &str = "Containerfile";
/// Where a container listens, and where the proof does instead: others may use the port, and no
/// other machine has to reach the proof.
const LISTEN: (&str, &str) = ("0.0.0.0:8080", "127.0.0.1:0");

pub(super) fn make(repo: &Repo, root: &EmptyRoot, made: &mut Made) -> Result<()> {
    let source = repo.root().join("xtask/release").join(NAME);
    let file = Containerfile::read(&fs::read_to_string(&source).context("no Containerfile")?)?;
    for (from, to) in &file.copies {
        root.install(&made.folder().join(from), to.trim_start_matches('/'))?;
    }
    let program = file.entrypoint.first().context("the image starts no program")?;
    let container = || container(root, &file, Path::new(program));
    work_a_job("sqlite:jobs/container.db", container)?;
    command::output(container().args(["token", "new", "--scope", "view", "--queues", "*"]))?;
    command::output(container().args(["token", "rotate-key"]))?;
    let words = file.command.iter().map(|word| if word == LISTEN.0 { LISTEN.1 } else { word });
    let store = ["--create", "--store", "sqlite:jobs/served.db", "--log", "error"];
    Served::start(container().args(words).args(store)).context("CMD does not serve")?;

    let place = root.place();
    made.copy(&source, NAME, &format!("{place} its files worked a job, and its CMD listened"))?;
    if !root.has_users() {
        made.not_proved(format!("the USER of the {NAME}: only root runs programs as another user"));
    }
    made.not_proved(format!(
        "these lines of the {NAME}, since no image is built here: {}",
        file.of_builder.join("; ")
    ));
    Ok(())
}

/// The program as a container starts it.
fn container(root: &EmptyRoot, file: &Containerfile, program: &Path) -> Command {
    let mut command = root.command_as(&file.user, program);
    command.args(&file.entrypoint[1..]).envs(file.variables.iter().map(|(name, value)| (name, value)));
    command
}
