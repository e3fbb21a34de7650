//! One test program: how it is found among what cargo built, and how it runs.

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command;
use crate::repo::Repo;

/// Programs that take longest, the longest first: they begin first, so that none of them is alone
/// at the end. Nothing is wrong when another one takes longer.
const LONG: [&str; 12] = [
    "queue-postgres::conformance",
    "queue-remote::conformance_sqlite",
    "tests::e2e",
    "kv-store::conformance_redb",
    "queue-redis::cluster",
    "queue-postgres::it",
    "queue-remote::conformance_memory",
    "queue-redis::conformance",
    "queue-fs::it",
    "queue-redis::it",
    "queue-sqlite::conformance",
    "queue-kv::conformance_memory",
];

/// Programs that harm a server that others use too, and so run alone.
const ALONE: [&str; 1] = ["queue-postgres::crash"];

pub(super) struct Program {
    /// The package and the target in it.
    pub(super) name: String,
    path: PathBuf,
    /// That of the package: cargo runs tests there.
    folder: PathBuf,
}

pub(super) struct Ended {
    pub(super) name: String,
    pub(super) passed: bool,
    seconds: f64,
    output: String,
}

/// A line of what cargo tells of a build, as far as it is needed.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    manifest_path: PathBuf,
    target: Target,
    profile: Profile,
    executable: Option<PathBuf>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Target {
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Profile {
    test: bool,
}

/// Builds every test program of the workspace.
pub(super) fn built(repo: &Repo) -> Result<Vec<Program>> {
    let how = ["--workspace", "--all-features", "--no-run", "--message-format=json-render-diagnostics"];
    let told = command::output(&mut command::cargo(repo, &[["test"].as_slice(), &how].concat()))?;
    programs(&String::from_utf8_lossy(&told))
}

fn programs(told: &str) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for line in told.lines() {
        let message: Message = serde_json::from_str(line).context("cargo tells what cannot be read")?;
        let Some(path) = message.executable.filter(|_| message.profile.test) else { continue };
        let folder = message.manifest_path.parent().unwrap_or(Path::new("")).to_owned();
        let package = folder.file_name().unwrap_or_default().to_string_lossy();
        programs.push(Program { name: format!("{package}::{}", message.target.name), path, folder });
    }
    Ok(programs)
}

impl Program {
    /// Its place in the order of beginning.
    pub(super) fn place(&self) -> usize {
        LONG.iter().position(|name| *name == self.name).unwrap_or(LONG.len())
    }

    pub(super) fn is_alone(&self) -> bool {
        ALONE.contains(&self.name.as_str())
    }

    /// Runs it to its end, with both of its outputs in the order in which they were written.
    #[expect(clippy::disallowed_methods, reason = "a command-line tool tells people how long a step took")]
    pub(super) fn run(self, servers: &[(String, String)]) -> Ended {
        let start = Instant::now();
        let outcome = self.output(&[], servers);
        let seconds = start.elapsed().as_secs_f64();
        let (passed, output) = outcome.unwrap_or_else(|error| (false, format!("{error:#}\n")));
        Ended { name: self.name, passed, seconds, output }
    }

    /// Into a file and not through a pipe, which would not end before the last process that has it.
    fn output(&self, arguments: &[&str], servers: &[(String, String)]) -> Result<(bool, String)> {
        let mut file = tempfile::tempfile().context("no room for its output")?;
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.envs(servers.iter().cloned()).stdin(Stdio::null());
        command.stdout(file.try_clone()?).stderr(file.try_clone()?);
        let status = command.status().with_context(|| format!("cannot start {}", self.path.display()))?;
        let mut output = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut output)).context("cannot read its output")?;
        Ok((status.success(), String::from_utf8_lossy(&output).into_owned()))
    }
}

impl Ended {
    /// Without a line for each test that passed: they are thousands.
    pub(super) fn show(&self) {
        let word = if self.passed { "passed" } else { "FAILED" };
        println!("\n--- {}: {word}, {:.1} s", self.name, self.seconds);
        self.told().for_each(|line| println!("{line}"));
    }

    fn told(&self) -> impl Iterator<Item = &str> {
        let passed = |line: &str| line.starts_with("test ") && line.ends_with("... ok");
        self.output.lines().filter(move |line| !line.is_empty() && !passed(line))
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, Program, programs};
    use std::path::PathBuf;

    #[test]
    fn test_programs_are_found_among_all_that_was_built() {
        let told = concat!(
            r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/a/Cargo.toml","target":{"name":"it"},"profile":{"test":true},"executable":"/w/t/it"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/a/Cargo.toml","target":{"name":"a"},"profile":{"test":false},"executable":"/w/t/a"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/b/Cargo.toml","target":{"name":"b"},"profile":{"test":true},"executable":null}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        let names: Vec<_> =
            programs(told).expect("as cargo tells it").into_iter().map(|found| found.name).collect();
        assert_eq!(names, ["a::it"]);
    }

    #[test]
    fn what_failed_and_what_was_ignored_is_shown_and_what_passed_is_counted() {
        let output =
            "running 3 tests\ntest a ... ok\ntest b ... ignored, no server\n\ntest c ... FAILED\n  1 ... ok";
        let ended = Ended { name: "it".to_owned(), passed: false, seconds: 1.0, output: output.to_owned() };
        let told: Vec<_> = ended.told().collect();
        let kept = ["running 3 tests", "test b ... ignored, no server", "test c ... FAILED", "  1 ... ok"];
        assert_eq!(told, kept);
    }

    #[test]
    fn output_is_kept_in_its_order_and_an_exit_code_is_a_failure() {
        let script = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(&script, "echo one; echo two >&2; echo $NAME; pwd; exit 3").expect("room");
        let (program, folder) = (PathBuf::from("/bin/sh"), PathBuf::from("/"));
        let program = Program { name: "sh".to_owned(), path: program, folder };
        let run = |arguments: &[&str]| program.output(arguments, &[("NAME".to_owned(), "three".to_owned())]);
        let ended = run(&[script.path().to_str().expect("plain")]).expect("sh runs");
        assert_eq!(ended, (false, "one\ntwo\nthree\n/\n".to_owned()));
        assert!(run(&["-c", "exit 0"]).expect("sh runs").0);
    }
}
