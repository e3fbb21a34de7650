//! The client for Python as a wheel.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::made::Made;
use super::tree;
use crate::repo::Repo;
use crate::served::Served;
use crate::{clients, command};

const PIP: [&str; 3] = ["-m", "pip", "--disable-pip-version-check"];
const PROGRAM: &str = "xtask/release/job.py";

/// Packs it, installs the file into an environment that has nothing else, and works a job there.
pub(super) fn make(repo: &Repo, queue: &Path, scratch: &Path, made: &mut Made) -> Result<()> {
    fs::create_dir_all(scratch)?;
    let python = clients::python(repo).context("the wheel needs Python from 3.10 on, with venv and pip")?;
    let source = clients::copy_of_python(repo, scratch)?;
    let wheels = scratch.join("wheel");
    let mut pack = Command::new(&python);
    pack.args(PIP).args(["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]);
    command::run(pack.arg(&wheels).arg(source).env("SOURCE_DATE_EPOCH", tree::time(repo)?))?;
    let name = super::made::only_file(&wheels)?;
    let wheel = wheels.join(&name);

    // Its dependencies come from the registry, beside the file, which is then all that pip sees.
    let beside = scratch.join("beside");
    let mut fetch = Command::new(&python);
    fetch.args(PIP).args(["download", "--quiet", "--dest"]).arg(&beside).arg(&wheel);
    command::run(&mut fetch).context("pip cannot fetch what the wheel depends on")?;
    let home = scratch.join("venv");
    command::run(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
    let python = home.join("bin/python");
    let mut install = Command::new(&python);
    install.args(PIP).args(["install", "--quiet", "--no-index", "--find-links"]).arg(beside).arg(&wheel);
    command::run(&mut install)?;

    let service = Served::start(Command::new(queue).args(super::SERVE).current_dir(scratch))?;
    let mut job = Command::new(&python);
    job.arg("-I").arg(repo.root().join(PROGRAM)).current_dir(scratch);
    command::run(job.env_clear().env("QUEUE_URL", &service.url)).context("the wheel works no job")?;
    made.copy(&wheel, &name, "installed into an empty venv from the file; worked a job over the service")
}
