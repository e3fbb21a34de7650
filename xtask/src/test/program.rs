//! One test program: how it is found among what cargo built, and how it runs.

use std::ffi::OsString;
use std::fmt::Write;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::ended::Ended;
use super::expected;
use super::usage::{self, Usage};
use crate::artifacts::{TOLD, artifacts};
use crate::command;
use crate::repo::Repo;

/// Programs that harm a server that others use too, and so run alone.
const ALONE: [&str; 1] = ["queue-postgres::crash"];

/// A program whose success is that of tests.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The package and the target in it.
    pub(super) name: String,
    path: PathBuf,
    arguments: Vec<OsString>,
    /// Set, or removed, before that of all programs.
    environment: Vec<(OsString, Option<OsString>)>,
    /// That of the package: cargo runs tests there.
    folder: PathBuf,
    /// Whether it is made of tests that can be named.
    has_tests: bool,
    /// After this it is killed, and has failed.
    patience: Duration,
}

/// Builds test programs; `which` are arguments of cargo.
pub(super) fn built(cargo: impl Fn(&[&str]) -> Result<Command>, which: &[&str]) -> Result<Vec<Program>> {
    let how = ["test", "--all-features", "--no-run", TOLD];
    programs(&command::output(&mut cargo(&[&how, which].concat())?)?)
}

fn programs(told: &[u8]) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for artifact in artifacts(told)? {
        let Some(path) = artifact.executable.filter(|_| artifact.profile.test) else { continue };
        let folder = artifact.manifest_path.parent().unwrap_or(Path::new("")).to_owned();
        let package = folder.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{package}::{}", artifact.target.name);
        let environment = vec![("CARGO_MANIFEST_DIR".into(), Some(folder.clone().into_os_string()))];
        let patience = expected::patience(&name);
        programs.push(Program {
            name,
            path,
            arguments: Vec::new(),
            environment,
            folder,
            has_tests: true,
            patience,
        });
    }
    Ok(programs)
}

impl Program {
    /// Something else that passes or fails as a whole, in the root of the work tree.
    pub(super) fn other(repo: &Repo, name: &str, command: &Command) -> Self {
        Self {
            name: name.to_owned(),
            path: command.get_program().into(),
            arguments: command.get_args().map(OsString::from).collect(),
            environment: command
                .get_envs()
                .map(|(name, value)| (name.to_owned(), value.map(OsString::from)))
                .collect(),
            folder: repo.root().to_owned(),
            has_tests: false,
            patience: expected::patience(name),
        }
    }

    pub(super) fn is_alone(&self) -> bool {
        ALONE.contains(&self.name.as_str())
    }

    /// For those that are made of tests; others have arguments of their own.
    pub(super) fn with_arguments(mut self, arguments: &[OsString]) -> Self {
        if self.has_tests {
            self.arguments.extend_from_slice(arguments);
        }
        self
    }

    pub(super) fn with_environment(mut self, more: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        self.environment.extend(more.into_iter().map(|(name, value)| (name.into(), Some(value.into()))));
        self
    }

    /// Beside processes that compute, everything takes longer.
    pub(super) fn beside(mut self, busy: usize) -> Self {
        self.patience *= 1 + u32::try_from(busy).unwrap_or(u32::MAX - 1);
        self
    }

    /// Runs it to its end.
    pub(super) fn run(self, environment: &[(String, String)]) -> Ended {
        let outcome = self.output(environment);
        let (status, usage, output) = match outcome {
            Ok((status, usage, output)) => (Some(status), usage, output),
            Err(error) => (None, Usage::default(), format!("{error:#}\n")),
        };
        Ended::new(self, status, usage, output)
    }

    /// With both of its outputs in the order in which they were written: into a file and not
    /// through a pipe, which would not end before the last process that has it.
    #[expect(clippy::disallowed_methods, reason = "a command-line tool tells people how long a program took")]
    fn output(&self, environment: &[(String, String)]) -> Result<(ExitStatus, Usage, String)> {
        let mut file = tempfile::tempfile().context("no room for its output")?;
        let mut command = Command::new(&self.path);
        command.args(&self.arguments).current_dir(&self.folder);
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.envs(environment.iter().cloned()).stdin(Stdio::null());
        command.stdout(file.try_clone()?).stderr(file.try_clone()?);
        let start = Instant::now();
        let child = command.spawn().with_context(|| format!("cannot start {}", self.path.display()))?;
        let (status, usage) = usage::wait(child, start, self.patience)?;
        let mut output = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut output)).context("cannot read its output")?;
        let mut output = String::from_utf8_lossy(&output).into_owned();
        if usage.wall >= self.patience {
            writeln!(output, "\nit was killed after {} s: a test hangs", self.patience.as_secs())?;
        }
        Ok((status, usage, output))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Program, programs};
    use std::time::Duration;

    /// A shell as a test program.
    pub(in crate::test) fn shell(name: &str, script: &str) -> Program {
        Program {
            name: name.to_owned(),
            path: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            environment: Vec::new(),
            folder: "/".into(),
            has_tests: true,
            patience: Duration::MAX,
        }
    }

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
        let names: Vec<_> = programs(told.as_bytes())
            .expect("as cargo tells it")
            .into_iter()
            .map(|found| found.name)
            .collect();
        assert_eq!(names, ["a::it"]);
    }

    #[test]
    fn one_that_hangs_is_killed_and_says_so() {
        let patience = Duration::from_millis(50);
        let ended = Program { patience, ..shell("hung", "echo begun; exec sleep 1000000") }.run(&[]);
        assert!(!ended.passed());
        assert!(ended.output.ends_with("it was killed after 0 s: a test hangs\n"), "{}", ended.output);
    }

    #[test]
    fn output_is_kept_in_its_order_and_an_exit_code_is_a_failure() {
        let environment = [("NAME".to_owned(), "three".to_owned())];
        let ended = shell("sh", "echo one; echo two >&2; echo $NAME; pwd; exit 3").run(&environment);
        assert_eq!((ended.passed(), ended.output.as_str()), (false, "one\ntwo\nthree\n/\n"));
        assert!(shell("sh", "exit 0").run(&[]).passed());
        let missing = Program { path: "/no/such/program".into(), ..shell("gone", "") }.run(&[]);
        assert!(!missing.passed() && missing.output.contains("/no/such/program"), "{}", missing.output);
    }
}
