//! Whether red programs are broken, or red by chance.
//!
//! A program that is red is run once more, alone. If it is green then, it is flaky: the run reports
//! it and passes, so that chance never costs a day. Two flaky programs are too many to be chance.

use std::fmt::Write;

use super::ended::Ended;

/// More red programs than this are broken, and running them again would only cost time.
const AGAIN_MAX: usize = 4;
/// Flaky programs of a run that passes.
const FLAKY_MAX: usize = 1;
const TAKEN: &str = "a string takes text";

/// The red programs of a run, each with its second run if there was one.
pub(super) struct Verdict {
    failed: Vec<Ended>,
    flaky: Vec<Ended>,
}

impl Verdict {
    /// `again` runs a program once more.
    pub(super) fn of(red: Vec<Ended>, again: impl Fn(&Ended) -> Ended) -> Self {
        let mut verdict = Self { failed: Vec::new(), flaky: Vec::new() };
        if red.len() > AGAIN_MAX {
            verdict.failed = red;
            return verdict;
        }
        for first in red {
            let second = again(&first);
            if second.passed() {
                verdict.flaky.push(first);
            } else {
                // What failed without company says most.
                verdict.failed.push(second);
            }
        }
        verdict
    }

    /// Why the run does not pass.
    pub(super) fn refusal(&self) -> Option<String> {
        let names = |ended: &[Ended]| ended.iter().map(Ended::name).collect::<Vec<_>>().join(", ");
        if !self.failed.is_empty() {
            return Some(format!("{} failed: {}", count(self.failed.len()), names(&self.failed)));
        }
        let many = self.flaky.len() > FLAKY_MAX;
        many.then(|| format!("{} were red by chance: {}", count(self.flaky.len()), names(&self.flaky)))
    }

    /// What belongs to the end of a log: the first failures of what is flaky, then the failures,
    /// each with the command that repeats it.
    pub(super) fn shown(&self) -> String {
        let mut shown = String::new();
        for flaky in &self.flaky {
            write!(shown, "\n{}", flaky.shown()).expect(TAKEN);
            for test in flaky.failed() {
                writeln!(shown, "FLAKY {} {test}", flaky.name()).expect(TAKEN);
            }
        }
        for failed in &self.failed {
            writeln!(shown, "\n{}to repeat it: {}", failed.shown(), failed.repeat()).expect(TAKEN);
        }
        shown
    }
}

fn count(programs: usize) -> String {
    if programs == 1 { "1 test program".to_owned() } else { format!("{programs} test programs") }
}

#[cfg(test)]
mod tests {
    use super::{AGAIN_MAX, Verdict};
    use crate::test::ended::Ended;
    use crate::test::program::tests::shell;

    fn red(count: usize) -> Vec<Ended> {
        let script = "echo 'test unlucky ... FAILED'; exit 1";
        (0..count).map(|at| shell(&format!("a::p{at}"), script).run(&[])).collect()
    }

    fn green(first: &Ended) -> Ended {
        shell(first.name(), "exit 0").run(&[])
    }

    fn red_again(first: &Ended) -> Ended {
        shell(first.name(), "echo 'test unlucky ... FAILED'; exit 1").run(&[])
    }

    #[test]
    fn one_that_is_green_alone_is_told_and_the_run_passes() {
        let verdict = Verdict::of(red(1), green);
        assert_eq!(verdict.refusal(), None);
        let shown = verdict.shown();
        assert!(
            shown.contains("test unlucky ... FAILED") && shown.ends_with("FLAKY a::p0 unlucky\n"),
            "{shown}"
        );
    }

    #[test]
    fn two_that_are_green_alone_fail() {
        let refusal = Verdict::of(red(2), green).refusal().expect("two are too many");
        assert_eq!(refusal, "2 test programs were red by chance: a::p0, a::p1");
    }

    #[test]
    fn one_that_is_red_twice_fails_and_the_end_says_how_to_repeat_it() {
        let verdict = Verdict::of(red(1), red_again);
        assert_eq!(verdict.refusal().as_deref(), Some("1 test program failed: a::p0"));
        assert!(verdict.shown().ends_with("to repeat it: cargo xtask test a::p0 -- --exact unlucky\n"));
    }

    #[test]
    fn many_are_not_run_again() {
        let verdict = Verdict::of(red(AGAIN_MAX + 1), |_| unreachable!("it is not run again"));
        assert!(verdict.refusal().is_some_and(|why| why.starts_with("5 test programs failed")));
        assert_eq!(Verdict::of(Vec::new(), green).refusal(), None);
    }
}
