//! The only writer to standard output and standard error. Answers go to standard output, notes for
//! people and errors to standard error.
//!
//! Nothing reaches a terminal raw: words leave as [`Text`], objects as JSON and stored bytes as
//! [`content`](Output::content), each with control characters escaped. Clippy keeps every
//! other file from writing by itself. `Screen` gives `queue top` a terminal to draw on, with lines
//! that a [`Text`] or [`spelled_out`] has escaped.

#![expect(clippy::disallowed_methods, reason = "the one module that writes")]

mod chart;
mod job;
mod log_line;
mod pairs;
#[cfg(feature = "top")]
mod screen;
mod table;
mod terminal;
mod text;
mod unwritten;
mod value;

pub(crate) use chart::Chart;
pub(crate) use job::{details, job, put_progress, tags};
pub(crate) use log_line::LogLine;
pub(crate) use pairs::{Pairs, pairs};
pub(crate) use queue::view::words::{age, date, length, moment, plural};
#[cfg(feature = "top")]
pub(crate) use screen::{Screen, is_screen};
pub(crate) use table::{Column, Table, table};
#[cfg(feature = "top")]
pub(crate) use terminal::columns;
pub(crate) use terminal::{can_ask, is_yes};
pub(crate) use text::Text;
pub(crate) use unwritten::UnwrittenAnswer;
pub(crate) use value::insert_bytes;

use crate::effect::Effect;
use queue::view::words::{escaped, escaped_json, escaped_lines};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};

/// Moves to the top left corner and clears everything below it.
const CLEAR: &str = "\x1b[H\x1b[J";

/// The reader of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Words and tables.
    Human,
    /// One JSON object a line.
    Json,
}

/// How stored bytes are written to a terminal. Elsewhere they are always written unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnTerminal {
    /// Characters that would control the terminal are escaped.
    Escape,
    /// The bytes are written unchanged.
    Raw,
}

/// Writes answers. A reader that has closed the output is an error of kind `BrokenPipe`, which ends
/// the command quietly. Another failure after a change is an [`UnwrittenAnswer`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    format: Format,
    /// Whether words replace those before them.
    is_live: bool,
    effect: Effect,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        Self { format, is_live: false, effect: Effect::None }
    }

    /// The same for a command that has done this before it answers.
    pub(crate) fn after(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// The same, but on a terminal words replace those before them; elsewhere, and on a terminal
    /// that is `dumb`, an empty line separates them.
    pub(crate) fn live(self) -> Self {
        Self { is_live: true, ..self }
    }

    pub(crate) fn format(self) -> Format {
        self.format
    }

    /// How charts of an answer are drawn.
    pub(crate) fn chart() -> Chart {
        if io::stdout().is_terminal() { Chart::Columns } else { Chart::Numbers }
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

    /// Writes an answer with a secret. If that fails, the error has these words in its place.
    pub(crate) fn secret(
        self,
        about: &str,
        words: impl FnOnce() -> String,
        object: impl FnOnce() -> Value,
    ) -> io::Result<()> {
        let written = self.after(Effect::None).answer(words, object);
        self.written(written, || about.to_owned())
    }

    /// Writes words.
    pub(crate) fn text(self, text: impl Into<Text>) -> io::Result<()> {
        let text = text.into();
        let rendered = text.rendered(terminal::columns());
        let written = match (self.is_live, terminal::is_drawn_on()) {
            (true, true) => self.write(format!("{CLEAR}{rendered}").as_bytes()),
            (true, false) => self.write(format!("{rendered}\n").as_bytes()),
            (false, _) => self.write(rendered.as_bytes()),
        };
        self.written(written, || text.lines(None).join("; "))
    }

    /// Writes an object as a line.
    pub(crate) fn object(self, object: &Value) -> io::Result<()> {
        let line = escaped_json(object.to_string());
        let written = self.write(format!("{line}\n").as_bytes());
        self.written(written, || line)
    }

    /// Writes bytes that the caller asked for: unchanged, except that a terminal gets them in
    /// readable form.
    pub(crate) fn content(self, bytes: &[u8], on_terminal: OnTerminal) -> io::Result<()> {
        if on_terminal == OnTerminal::Raw || !io::stdout().is_terminal() {
            return self.written(self.write(bytes), String::new);
        }
        let mut shown = escaped_lines(bytes);
        if !shown.ends_with('\n') {
            shown.push('\n');
        }
        self.written(self.write(shown.as_bytes()), String::new)
    }

    /// After a change, a failed write is an error that says so and has the answer.
    fn written(self, written: io::Result<()>, answer: impl FnOnce() -> String) -> io::Result<()> {
        match self.effect {
            Effect::None => written,
            Effect::Change => written.map_err(|cause| UnwrittenAnswer::of(cause, answer())),
        }
    }

    #[expect(clippy::unused_self, reason = "having an `Output` is the permission to write")]
    fn write(self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }
}

/// One line of words, escaped as [`Text`] does, for a message that another library formats.
pub(crate) fn spelled_out(line: &str) -> String {
    escaped(line).into_owned()
}

/// Writes words for people to standard error. A failure is ignored, since no one is left to tell.
pub(crate) fn note(words: impl Into<Text>) {
    drop(io::stderr().lock().write_all(words.into().rendered(None).as_bytes()));
}

/// Writes a warning to standard error, in words or as an object.
pub(crate) fn warn(format: Format, words: impl Into<String>) {
    let words = words.into();
    match format {
        Format::Human => note(format!("warning: {words}")),
        Format::Json => note_object(&json!({"warning": words})),
    }
}

/// Whether standard error is a terminal, where a person sees how far a command is.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Writes an object to standard error, where programs read errors and the events of some commands.
pub(crate) fn note_object(object: &Value) {
    drop(writeln!(io::stderr().lock(), "{}", escaped_json(object.to_string())));
}
