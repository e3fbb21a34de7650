//! The `queue` command as one file: static where this machine has what that takes, or else for the
//! C library of Debian 12.

use std::env::consts::ARCH;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::empty_root::EmptyRoot;
use super::linkage::Linkage;
use super::made::Made;
use crate::command;
use crate::machine::works;
use crate::repo::Repo;

/// Its name in the folder.
pub(super) const NAME: &str = "queue";

/// The binary of the release.
pub(super) struct Queue {
    pub(super) path: PathBuf,
    pub(super) linkage: Linkage,
}

/// Builds it, without symbols.
pub(super) fn make(repo: &Repo, made: &mut Made) -> Result<Queue> {
    let target = musl();
    if target.is_none() {
        made.not_proved(format!(
            "a static binary: it takes `rustup target add {ARCH}-unknown-linux-musl` and musl-gcc (on \
             Debian: musl-tools)"
        ));
    }
    let mut build = command::cargo(repo, &["build", "--release", "--locked", "--package", "queue-cli"]);
    build.args(["--bin", NAME]).args(target.iter().flat_map(|target| ["--target", target]));
    command::run(&mut build)?;
    let linked = repo.target().join(target.unwrap_or_default()).join("release").join(NAME);
    let path = made.folder().join(NAME);
    command::run(Command::new("strip").arg("-o").arg(&path).arg(linked))?;
    let linkage = Linkage::of(&path)?;
    Ok(Queue { path, linkage })
}

/// The target of static binaries, if its library and its compiler for C are here.
fn musl() -> Option<String> {
    let target = format!("{ARCH}-unknown-linux-musl");
    let mut ask = Command::new("rustc");
    ask.args(["--print", "target-libdir", "--target", &target]);
    let printed = command::output(&mut ask).ok()?;
    let has_library = Path::new(String::from_utf8_lossy(&printed).trim()).is_dir();
    (has_library && works("musl-gcc", &["--version"])).then_some(target)
}

/// Runs it where nothing else is.
pub(super) fn prove(queue: &Queue, root: &EmptyRoot, made: &mut Made) -> Result<()> {
    let within = root.install(&queue.path, NAME)?;
    let version = command::output(root.command(&within).arg("--version"))?;
    let version = String::from_utf8_lossy(&version).trim().to_owned();
    work_a_job("sqlite:jobs/binary.db", || root.command(&within))?;
    let (linkage, place) = (queue.linkage.words(), root.place());
    made.add(NAME, format!("{version}, {linkage}; {place} it enqueued and worked a job of a SQLite file"));
    if let Some(why) = root.lack() {
        made.not_proved(why);
    }
    Ok(())
}

/// Enqueues a job, works on it by a shell command, and reads the result.
pub(super) fn work_a_job(store: &str, queue: impl Fn() -> Command) -> Result<()> {
    let run = |arguments: &[&str]| command::output(queue().args(["--store", store]).args(arguments));
    run(&["enqueue", "Ada", "--kind", "email", "--id", "welcome"])?;
    run(&["work", "--drain", "--exec", "read -r name; echo \"sent to $name\""])?;
    let result = run(&["result", "welcome"])?;
    ensure!(result == b"sent to Ada\n", "the job ended with {:?}", String::from_utf8_lossy(&result));
    Ok(())
}
