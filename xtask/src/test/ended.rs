//! A test program that has ended: what it printed, which tests failed, and how to repeat them.

use std::fmt::Write;
use std::process::ExitStatus;

use super::program::Program;
use super::usage::Usage;

/// A test that is red without a name: the program ended before it could tell one.
const UNNAMED: &str = "(no test: the program itself)";
/// Written by random tests before their seed.
const SEEDS: [&str; 2] = ["QUEUE_TESTKIT_SEED=", "seed "];

pub(super) struct Ended {
    pub(super) program: Program,
    pub(super) usage: Usage,
    pub(super) output: String,
    status: Option<ExitStatus>,
}

impl Ended {
    /// `status` is nothing for a program that could not be run.
    pub(super) fn new(program: Program, status: Option<ExitStatus>, usage: Usage, output: String) -> Self {
        Self { program, usage, output, status }
    }

    pub(super) fn name(&self) -> &str {
        &self.program.name
    }

    pub(super) fn passed(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// How many tests ran, as the program counts them.
    pub(super) fn cases(&self) -> usize {
        let counted = self.output.lines().filter_map(|line| line.strip_prefix("test result: "));
        let counts = counted.flat_map(|line| line.split([';', '.'])).filter_map(|part| {
            let (count, word) = part.trim().split_once(' ')?;
            ["passed", "failed"].contains(&word).then(|| count.parse().unwrap_or(0))
        });
        counts.sum()
    }

    /// The names of tests that failed.
    pub(super) fn failed(&self) -> Vec<&str> {
        let lines = self.output.lines().filter_map(|line| line.strip_prefix("test "));
        let mut failed: Vec<_> = lines
            .filter_map(|line| line.strip_suffix("... FAILED"))
            // Before a case of the suite stand the invariants that it would find broken.
            .map(|name| name.rsplit_once(']').map_or(name, |(_, name)| name).trim())
            .collect();
        if failed.is_empty() && !self.passed() {
            failed.push(UNNAMED);
        }
        failed
    }

    /// Without a line for each test that passed: they are thousands.
    pub(super) fn told(&self) -> String {
        let passed = |line: &str| line.starts_with("test ") && line.ends_with("... ok");
        let mut told = String::new();
        for line in self.output.lines().filter(|line| !line.is_empty() && !passed(line)) {
            told.push_str(line);
            told.push('\n');
        }
        told
    }

    /// The heading of what it printed, and that.
    pub(super) fn shown(&self) -> String {
        let word = match self.status {
            Some(status) if status.success() => "passed".to_owned(),
            Some(status) => format!("FAILED with {status}"),
            None => "FAILED to run".to_owned(),
        };
        format!("--- {}: {word}, {:.1} s\n{}", self.name(), self.usage.wall.as_secs_f64(), self.told())
    }

    /// The command that repeats what failed, alone.
    pub(super) fn repeat(&self) -> String {
        let mut command = String::new();
        if let Some(seed) = self.seed() {
            write!(command, "QUEUE_TESTKIT_SEED={seed} ").expect("a string takes text");
        }
        write!(command, "cargo xtask test {}", self.name()).expect("a string takes text");
        let failed = self.failed();
        if failed != [UNNAMED] {
            write!(command, " -- --exact {}", failed.join(" ")).expect("a string takes text");
        }
        command
    }

    /// The first one that is printed after the tests were listed, where failures are.
    fn seed(&self) -> Option<u64> {
        let failures = self.output.split_once("\nfailures:").map_or(self.output.as_str(), |(_, after)| after);
        SEEDS.iter().find_map(|word| {
            let (_, after) = failures.split_once(word)?;
            let end = after.find(|character: char| !character.is_ascii_digit()).unwrap_or(after.len());
            after[..end].parse().ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, UNNAMED};
    use crate::test::program::tests::shell;

    fn ended(output: &str, code: u8) -> Ended {
        let script = format!("cat <<'END'\n{output}\nEND\nexit {code}");
        shell("a::it", &script).run(&[])
    }

    #[test]
    fn what_failed_and_what_was_ignored_is_shown_and_what_passed_is_counted() {
        let ended = ended(
            "running 3 tests\ntest a ... ok\ntest b ... ignored, no server\n\ntest c ... FAILED\n  1 ... ok\n\
             test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured",
            101,
        );
        let told = ended.told();
        let kept = ["running 3 tests", "test b ... ignored, no server", "test c ... FAILED", "  1 ... ok"];
        assert_eq!(told.lines().take(4).collect::<Vec<_>>(), kept);
        assert_eq!((ended.cases(), ended.failed()), (2, vec!["c"]));
        assert!(ended.shown().starts_with("--- a::it: FAILED with exit status: 101"), "{}", ended.shown());
    }

    #[test]
    fn a_failure_says_how_to_repeat_it_with_its_seed() {
        let random = "test [I3, I4]     random::one ... FAILED\nfailures:\nwith seed 7 they differ";
        let command = "QUEUE_TESTKIT_SEED=7 cargo xtask test a::it -- --exact random::one";
        assert_eq!(ended(random, 1).repeat(), command);
        let plain = "seed 4: fine\ntest one ... FAILED\ntest two ... FAILED\n\nfailures:\nit was red";
        assert_eq!(ended(plain, 1).repeat(), "cargo xtask test a::it -- --exact one two");
        let aborted = ended("running 3 tests", 134);
        assert_eq!((aborted.failed(), aborted.repeat().as_str()), (vec![UNNAMED], "cargo xtask test a::it"));
    }
}
