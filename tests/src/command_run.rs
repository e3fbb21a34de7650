//! The exit code and the output of a finished `queue` command, with checks on them.

use serde_json::Value;

/// The result of a run of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRun {
    /// The exit code; a signal counts as 128 and its number, as in a shell.
    pub code: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

impl CommandRun {
    /// Standard output as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is text")
    }

    /// Standard output as one JSON object per line.
    #[track_caller]
    pub fn objects(&self) -> Vec<Value> {
        let lines = self.text().lines();
        lines.map(|line| serde_json::from_str(line).expect("each line is an object")).collect()
    }

    /// Standard output as one JSON object.
    #[track_caller]
    pub fn object(&self) -> Value {
        let mut objects = self.objects();
        assert_eq!(objects.len(), 1, "{self:?}");
        objects.remove(0)
    }

    /// Asserts success, and returns the result.
    #[expect(clippy::return_self_not_must_use, reason = "often the check is all that is wanted")]
    #[track_caller]
    pub fn ok(self) -> Self {
        self.code(0)
    }

    /// Asserts this exit code, and returns the result.
    #[expect(clippy::return_self_not_must_use, reason = "often the check is all that is wanted")]
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stderr, String::from_utf8_lossy(&self.stdout));
        self
    }
}
