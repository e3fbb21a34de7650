//! The only writer to standard output and standard error. Answers go to the one, notes for people
//! and errors to the other.
//!
//! Nothing reaches a terminal raw: words leave as [`Text`], objects as JSON and stored bytes as
//! [`content`](Output::content), each with what would act on a terminal spelled out.
//! Clippy keeps every other file from writing by itself.

#![expect(clippy::disallowed_methods, reason = "the one module that writes")]

mod escape;
mod job;
mod pairs;
mod table;
mod terminal;
mod text;
mod value;
mod words;

pub(crate) use job::{attempt, details, job, tags};
pub(crate) use pairs::{Pairs, pairs};
pub(crate) use table::{Column, Table, table};
pub(crate) use terminal::{can_ask, is_yes};
pub(crate) use text::Text;
pub(crate) use value::insert_bytes;
pub(crate) use words::{age, plural};

use serde_json::Value;
use std::io::{self, IsTerminal, Write};

/// To the top left corner, and nothing below it.
const CLEAR: &str = "\x1b[H\x1b[J";

/// For whom the output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Words and tables.
    Human,
    /// One JSON object a line.
    Json,
}

/// What becomes of stored bytes on a terminal. Elsewhere they are always written as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnTerminal {
    /// What would act on it is spelled out.
    Escape,
    /// They are written as they are.
    Raw,
}

/// Writes answers. A reader that has gone away is an error of kind `BrokenPipe`, which ends the
/// command quietly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    format: Format,
    /// Words replace those before them.
    is_live: bool,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        Self { format, is_live: false }
    }

    /// The same, but on a terminal words take the place of those before; elsewhere an empty line
    /// stands between them.
    pub(crate) fn live(self) -> Self {
        Self { is_live: true, ..self }
    }

    pub(crate) fn format(self) -> Format {
        self.format
    }

    /// Writes an answer: the words for people, or the object for programs.
    pub(crate) fn answer<T: Into<Text>>(
        self,
        words: impl FnOnce() -> T,
        object: impl FnOnce() -> Value,
    ) -> io::Result<()> {
        match self.format {
            Format::Human => self.text(words()),
            Format::Json => self.object(&object()),
        }
    }

    /// Writes words.
    pub(crate) fn text(self, text: impl Into<Text>) -> io::Result<()> {
        let text = text.into().rendered(terminal::columns());
        match (self.is_live, io::stdout().is_terminal()) {
            (true, true) => self.write(format!("{CLEAR}{text}").as_bytes()),
            (true, false) => self.write(format!("{text}\n").as_bytes()),
            (false, _) => self.write(text.as_bytes()),
        }
    }

    /// Writes an object as a line.
    pub(crate) fn object(self, object: &Value) -> io::Result<()> {
        self.write(format!("{}\n", escape::json(object.to_string())).as_bytes())
    }

    /// Writes bytes that the caller asked for: as they are, but on a terminal so that they can be
    /// read.
    pub(crate) fn content(self, bytes: &[u8], on_terminal: OnTerminal) -> io::Result<()> {
        if on_terminal == OnTerminal::Raw || !io::stdout().is_terminal() {
            return self.write(bytes);
        }
        let mut shown = escape::content(bytes);
        if !shown.ends_with('\n') {
            shown.push('\n');
        }
        self.write(shown.as_bytes())
    }

    #[expect(clippy::unused_self, reason = "having an `Output` is the permission to write")]
    fn write(self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }
}

/// One line of words as [`Text`] writes it, for a message that others put together.
pub(crate) fn spelled_out(line: &str) -> String {
    escape::line(line).into_owned()
}

/// Writes words for people to standard error. If even that is gone, nobody is left to tell.
pub(crate) fn note(words: impl Into<Text>) {
    drop(io::stderr().lock().write_all(words.into().rendered(None).as_bytes()));
}

/// Writes an object to standard error, where programs read errors and, of some commands, events.
pub(crate) fn note_object(object: &Value) {
    drop(writeln!(io::stderr().lock(), "{}", escape::json(object.to_string())));
}
