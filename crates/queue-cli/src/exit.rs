//! The exit codes of the command, and the error type that carries one of them and a message.

use crate::{
    output::{self, Format, Text, UnwrittenAnswer},
    suggestions::suggest,
};
use clap::error::{ContextValue, ErrorKind as ArgsErrorKind};
use queue::{
    Certainty, Error, ErrorKind, InvalidName, InvalidOption, batches::BatchError, view::InvalidFilter,
};
use queue_http::AccessError;
use serde_json::json;
use std::{error::Error as StdError, ffi::OsString, fmt, io};

/// The ways in which the command ends. The numbers are part of its interface; `--help` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Ok = 0,
    /// The request was understood, and the answer is no.
    Negative = 1,
    /// The request is wrong as it stands. The argument parser uses this code too.
    Invalid = 2,
    /// There is no such job, or no such queue.
    NotFound = 3,
    /// The job is not finished, or did not finish in time.
    NotFinished = 4,
    /// The store does not answer now.
    Unavailable = 5,
    /// The store is damaged, too new, or lacks the capability.
    Unusable = 6,
    /// The change was made, and its answer could not be written.
    Unwritten = 7,
    /// A bug.
    Bug = 70,
    /// A signal ended the command before its work was done.
    Interrupted = 130,
}

/// The part of `--help` about exit codes.
pub(crate) const HELP: &str = "Exit codes:
  0    done
  1    the answer is no: the job failed or was cancelled, or does not allow the change
  2    the request is wrong: bad arguments, ids or payloads; nothing was written
  3    there is no such job or queue
  4    the job is not finished, or did not finish in time
  5    the store does not answer now; try again later
  6    the store is damaged, too new, or lacks the capability
  7    the change was made, but the answer could not be written: do not run it again
  70   a bug
  130  interrupted";

/// The reason why a command ended without doing its work: an exit code, and a message that says
/// what to do.
#[derive(Debug)]
pub(crate) struct CliError {
    exit: Exit,
    message: String,
    may_come: bool,
}

impl CliError {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), may_come: false }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Exit::Invalid, message)
    }

    /// The error for an answer that a newer library gives and this command does not know.
    pub(crate) fn unforeseen(answer: impl fmt::Debug) -> Self {
        Self::new(Exit::Bug, format!("the library answers {answer:?}, which this command does not know"))
    }

    /// Adds where the error happened.
    pub(crate) fn context(mut self, context: impl fmt::Display) -> Self {
        if !self.is_silent() {
            self.message = format!("{context}: {}", self.message);
        }
        self
    }

    /// The message of an error of the store itself, rather than of the request; else the error.
    pub(crate) fn of_store(self) -> Result<String, Self> {
        match self.exit {
            Exit::Unavailable | Exit::Unusable => Ok(self.message),
            _ => Err(self),
        }
    }

    /// The same error, for which [`may_come`](Self::may_come) holds.
    pub(crate) fn of_store_to_come(self) -> Self {
        Self { may_come: true, ..self }
    }

    /// Whether it is about a store that is not there yet, as far as can be seen: a server that does
    /// not answer, or a file or a database that is missing. It may come without a change of the
    /// command, unlike a wrong URL or password and a layout of another version.
    pub(crate) fn may_come(&self) -> bool {
        self.may_come
    }

    /// What is wrong.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    #[cfg(all(test, feature = "top"))]
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Whether the same request may succeed later.
    #[cfg(feature = "top")]
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self.exit, Exit::Unavailable | Exit::NotFound)
    }

    /// Whether the reader of the output has closed it, so that a message would reach no one.
    fn is_silent(&self) -> bool {
        self.message.is_empty()
    }

    /// Prints the error once, and returns the exit code.
    pub(crate) fn report(self, format: Format) -> Exit {
        if !self.is_silent() {
            match format {
                Format::Human => output::note(format!("error: {}", self.message)),
                Format::Json => {
                    output::note_object(&json!({"error": self.message, "exit": self.exit as u8}));
                }
            }
        }
        self.exit
    }
}

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::Invalid => exit_of_invalid(&error),
            ErrorKind::Unavailable | ErrorKind::Conflict | ErrorKind::Closed => Exit::Unavailable,
            ErrorKind::Corrupt | ErrorKind::Unsupported => Exit::Unusable,
            _ => Exit::Bug,
        };
        let may_come = error.is_transient() || is_absent(&error);
        let unknown = error.certainty() == Certainty::Unknown;
        let suffix = if unknown { " (it may have been done all the same)" } else { "" };
        let message = format!("{}{suffix}", with_source(error.message(), error.source()));
        Self { exit, message, may_come }
    }
}

/// A batch that is not there, takes no more or goes on is an answer rather than a wrong request.
fn exit_of_invalid(error: &Error) -> Exit {
    match error.source().and_then(|source| source.downcast_ref::<BatchError>()) {
        Some(BatchError::NoBatch { .. }) => Exit::NotFound,
        Some(
            BatchError::Ended { .. }
            | BatchError::Sealed { .. }
            | BatchError::GoesOn { .. }
            | BatchError::MemberGoesOn { .. },
        ) => Exit::Negative,
        _ => Exit::Invalid,
    }
}

/// Whether the file, the directory or the database of a store is missing.
pub(crate) fn is_absent(error: &Error) -> bool {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound)
}

impl From<InvalidOption> for CliError {
    fn from(error: InvalidOption) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<InvalidName> for CliError {
    fn from(error: InvalidName) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<InvalidFilter> for CliError {
    fn from(error: InvalidFilter) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<AccessError> for CliError {
    fn from(error: AccessError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Exit::Ok, ""),
            _ if UnwrittenAnswer::is(&error) => Self::new(Exit::Unwritten, error.to_string()),
            _ => Self::new(Exit::Unavailable, error.to_string()),
        }
    }
}

/// Prints what is wrong with the arguments, or the help that they ask for.
pub(crate) fn of_arguments(mut error: clap::Error, arguments: &[OsString]) -> Exit {
    suggest(&mut error);
    spell_out_values(&mut error);
    let mut options = arguments.iter().take_while(|argument| *argument != "--");
    let is_help = error.kind() == ArgsErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if options.any(|argument| argument == "--json") && error.use_stderr() {
        return CliError::invalid(without_usage(&error.to_string())).report(Format::Json);
    }
    if is_help || !error.use_stderr() {
        // The text is our own, in colours.
        if let Err(failed) = error.print() {
            return CliError::from(failed).report(Format::Human);
        }
    } else {
        output::note(Text::of_lines(&error.to_string()));
    }
    if error.use_stderr() { Exit::Invalid } else { Exit::Ok }
}

/// Escapes the values from the command line, so that none begins a line of the message, and none
/// loses text where colours are removed.
fn spell_out_values(error: &mut clap::Error) {
    let escaped = |value: &ContextValue| match value {
        ContextValue::String(text) => Some(ContextValue::String(output::spelled_out(text))),
        ContextValue::Strings(texts) => {
            Some(ContextValue::Strings(texts.iter().map(|text| output::spelled_out(text)).collect()))
        }
        _ => None,
    };
    let context: Vec<_> = error.context().filter_map(|(kind, value)| Some((kind, escaped(value)?))).collect();
    for (kind, value) in context {
        error.insert(kind, value);
    }
}

/// The error and the advice without the usage, which is of no use to a program.
fn without_usage(rendered: &str) -> &str {
    let ends = ["\n\nUsage:", "\n\nFor more information"];
    let end = ends.iter().filter_map(|end| rendered.find(end)).min().unwrap_or(rendered.len());
    rendered[..end].trim_start_matches("error: ").trim_end()
}

/// The message with that of its cause, unless it contains that already. Deeper causes are for
/// programmers.
fn with_source(message: &str, source: Option<&(dyn StdError + 'static)>) -> String {
    match source.map(ToString::to_string) {
        Some(cause) if !message.contains(&cause) => format!("{message}: {cause}"),
        _ => message.to_owned(),
    }
}
