//! What became of each step.

use std::fmt;

/// How a step ended.
pub(super) enum Outcome {
    Passed,
    /// Not done, for a reason that people must see.
    Skipped(String),
    Failed(String),
    NotRun,
}

/// The steps so far, shown as a table.
#[derive(Default)]
pub(super) struct Report {
    lines: Vec<Line>,
}

struct Line {
    name: &'static str,
    outcome: Outcome,
    seconds: f64,
}

impl Report {
    pub(super) fn add(&mut self, name: &'static str, outcome: Outcome, seconds: f64) {
        self.lines.push(Line { name, outcome, seconds });
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed().is_some()
    }

    /// The name of the step that failed.
    pub(super) fn failed(&self) -> Option<&'static str> {
        self.lines.iter().find(|line| matches!(line.outcome, Outcome::Failed(_))).map(|line| line.name)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<10} {:>8}  outcome", "step", "seconds")?;
        for line in &self.lines {
            writeln!(f, "{:<10} {:>8.1}  {}", line.name, line.seconds, line.outcome)?;
        }
        Ok(())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Skipped(why) => write!(f, "SKIPPED: {why}"),
            Self::Failed(why) => write!(f, "FAILED: {why}"),
            Self::NotRun => f.write_str("not run"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Report};

    #[test]
    fn a_failure_and_a_skipped_step_stand_out() {
        let mut report = Report::default();
        report.add("fmt", Outcome::Passed, 0.5);
        report.add("deny", Outcome::Skipped("not installed".to_owned()), 0.0);
        assert_eq!(report.failed(), None);
        report.add("tests", Outcome::Failed("two".to_owned()), 1.25);
        assert_eq!(report.failed(), Some("tests"));
        let text = report.to_string();
        for part in ["fmt             0.5  passed", "SKIPPED: not installed", "FAILED: two"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
