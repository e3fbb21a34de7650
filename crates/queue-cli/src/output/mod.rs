//! The only writer to standard output. Answers go there, notes for people and errors to standard error.

mod job;
mod table;
mod value;
mod words;

pub(crate) use job::{details, job};
pub(crate) use table::{pairs, table};
pub(crate) use value::insert_bytes;
pub(crate) use words::{age, plural};

use serde_json::Value;
use std::io::{self, Write};

/// For whom the output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Words and tables.
    Human,
    /// One JSON object a line.
    Json,
}

/// Writes answers. A reader that has gone away is an error of kind `BrokenPipe`, which ends the command quietly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    format: Format,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        Self { format }
    }

    pub(crate) fn format(self) -> Format {
        self.format
    }

    /// Writes an answer: the words for people, or the object for programs.
    pub(crate) fn answer(
        self,
        words: impl FnOnce() -> String,
        object: impl FnOnce() -> Value,
    ) -> io::Result<()> {
        match self.format {
            Format::Human => self.line(&words()),
            Format::Json => self.object(&object()),
        }
    }

    /// Writes a line.
    pub(crate) fn line(self, text: &str) -> io::Result<()> {
        self.bytes(format!("{text}\n").as_bytes())
    }

    /// Writes an object as a line.
    pub(crate) fn object(self, object: &Value) -> io::Result<()> {
        self.line(&object.to_string())
    }

    /// Writes bytes as they are.
    #[expect(clippy::unused_self, reason = "having an `Output` is the permission to write")]
    pub(crate) fn bytes(self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }
}

/// Writes a line for people to standard error. If even that is gone, nobody is left to tell.
pub(crate) fn note(text: &str) {
    drop(writeln!(io::stderr().lock(), "{text}"));
}
