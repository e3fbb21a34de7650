//! The client for Node as a package.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::made::Made;
use crate::repo::Repo;
use crate::served::Served;
use crate::{clients, command};

const PROGRAM: &str = "xtask/release/job.mjs";
/// It keeps npm from looking for a project above.
const PROJECT: &str = r#"{"private": true}"#;

/// Packs it, installs the file into a project that has nothing else, and works a job there.
pub(super) fn make(repo: &Repo, queue: &Path, scratch: &Path, made: &mut Made) -> Result<()> {
    ensure!(clients::has_node(), "the npm package needs Node from 18 on, with npm");
    let (packed, project) = (scratch.join("packed"), scratch.join("project"));
    fs::create_dir_all(&packed)?;
    fs::create_dir_all(&project)?;
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", "--pack-destination"]).arg(&packed);
    command::output(pack.current_dir(repo.root().join("clients/node")))?;
    let name = super::made::only_file(&packed)?;
    let package = packed.join(&name);

    fs::write(project.join("package.json"), PROJECT)?;
    let mut install = Command::new("npm");
    install.args(["install", "--offline", "--silent", "--no-audit", "--no-fund"]).arg(&package);
    command::run(install.current_dir(&project)).context("npm cannot install the package")?;

    let service = Served::start(Command::new(queue).args(super::SERVE).current_dir(scratch))?;
    // A program finds packages from the folder that it lies in.
    let program = project.join("job.mjs");
    fs::copy(repo.root().join(PROGRAM), &program)?;
    let mut job = Command::new("node");
    command::run(job.arg(program).current_dir(&project).env("QUEUE_URL", &service.url))
        .context("the npm package works no job")?;
    made.copy(&package, &name, "installed into an empty project from the file; worked a job over the service")
}
