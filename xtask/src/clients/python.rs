//! The Python client: types, unit tests, the program of its README, and the scenarios.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::{Ended, test};
use crate::command;
use crate::machine::works;
use crate::repo::Repo;

/// Of the version, and of what makes a place for packages, which Debian keeps apart.
const LEAST: &str = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))";
const FOLDER: &str = "clients/python";
/// What a registry must give: the one dependency, the checker of types, and what packs the client.
const TOOLS: [&str; 3] = ["httpx>=0.27,<1", "mypy>=1.11", "setuptools>=68"];

/// Whether it can be tested here.
pub(crate) fn is_here() -> bool {
    works("python3", &["-c", LEAST])
}

pub(super) fn run(repo: &Repo, queue: &Path) -> Result<Ended> {
    if !is_here() {
        return Ok(Ended::Skipped("python3 from 3.10 on, with venv, is not installed".to_owned()));
    }
    let home = repo.target().join("clients/python");
    let Some(python) = interpreter(repo) else {
        return Ok(Ended::Skipped("httpx and mypy cannot be installed with pip".to_owned()));
    };
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.args(arguments).current_dir(repo.root()).env("PYTHONDONTWRITEBYTECODE", "1");
        test(&mut command, queue)
    };
    // The tests use the package as it would be installed, so that a file that it lacks is missed.
    let package = copy(repo, &home)?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
    run(&[&pip[..], &["--no-build-isolation", "--force-reinstall", &package]].concat())?;
    run(&["-m", "mypy", "--config-file", "clients/python/pyproject.toml", "clients/python/src"])?;
    run(&["-m", "unittest", "discover", "--start-directory", "clients/python/tests"])?;
    run(&["clients/python/tests/run_scenarios.py"])?;
    Ok(Ended::Passed)
}

/// A Python that has what the client and its tests need; `None` if it cannot be had.
pub(crate) fn interpreter(repo: &Repo) -> Option<PathBuf> {
    let home = repo.target().join("clients/python");
    let python = home.join("bin/python");
    (has_tools(repo, &python) || install_tools(repo, &home, &python)).then_some(python)
}

fn has_tools(repo: &Repo, python: &Path) -> bool {
    let mut look = Command::new(python);
    look.args(["-c", "import httpx, mypy, setuptools"]).current_dir(repo.root());
    python.is_file() && look.output().is_ok_and(|output| output.status.success())
}

fn install_tools(repo: &Repo, home: &Path, python: &Path) -> bool {
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(home).current_dir(repo.root());
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(TOOLS);
    command::run(&mut make).and_then(|()| command::run(install.current_dir(repo.root()))).is_ok()
}

/// Packing writes beside the sources, so a copy in this folder is packed.
pub(crate) fn copy(repo: &Repo, home: &Path) -> Result<String> {
    let to = home.join("package");
    if to.exists() {
        std::fs::remove_dir_all(&to)?;
    }
    command::run(Command::new("cp").arg("-r").arg(repo.root().join(FOLDER)).arg(&to))?;
    Ok(to.to_string_lossy().into_owned())
}
