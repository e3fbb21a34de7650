use crate::output::{self, Format};
use queue::{Certainty, Error, ErrorKind, InvalidName, InvalidOption};
use serde_json::json;
use std::{error::Error as StdError, fmt, io};

/// Every way in which the command ends. The numbers are part of its interface; `--help` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Ok = 0,
    /// Understood, and the answer is no.
    Negative = 1,
    /// The request is wrong as it stands. Also what the argument parser uses.
    Invalid = 2,
    /// There is no such job.
    NotFound = 3,
    /// The job is not finished, or not in time.
    NotFinished = 4,
    /// The store does not answer now.
    Unavailable = 5,
    /// The store is damaged, too new, or cannot do it.
    Unusable = 6,
    /// A bug.
    Bug = 70,
    /// A signal ended it before the work was done.
    Interrupted = 130,
}

/// What `--help` says about them.
pub(crate) const HELP: &str = "Exit codes:
  0    done
  1    the answer is no: the job failed or was cancelled, or does not allow the change
  2    the request is wrong: bad arguments, ids or payloads; nothing was written
  3    there is no such job
  4    the job is not finished, or not in time
  5    the store does not answer now; try again later
  6    the store is damaged, of a newer version, or cannot do this
  70   a bug
  130  interrupted";

/// Why a command ended without doing its work: an exit code, and a message that says what to do.
#[derive(Debug)]
pub(crate) struct CliError {
    exit: Exit,
    message: String,
}

impl CliError {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Exit::Invalid, message)
    }

    /// Says more about where it happened.
    pub(crate) fn context(mut self, context: impl fmt::Display) -> Self {
        if !self.is_silent() {
            self.message = format!("{context}: {}", self.message);
        }
        self
    }

    /// The reader of our output has gone away, and wants no message.
    fn is_silent(&self) -> bool {
        self.message.is_empty()
    }

    /// Prints the error once, and answers the exit code.
    pub(crate) fn report(self, format: Format) -> Exit {
        if !self.is_silent() {
            match format {
                Format::Human => output::note(&format!("error: {}", self.message)),
                Format::Json => {
                    output::note(&json!({"error": self.message, "exit": self.exit as u8}).to_string());
                }
            }
        }
        self.exit
    }
}

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::Invalid => Exit::Invalid,
            ErrorKind::Unavailable | ErrorKind::Conflict | ErrorKind::Closed => Exit::Unavailable,
            ErrorKind::Corrupt | ErrorKind::Unsupported => Exit::Unusable,
            _ => Exit::Bug,
        };
        let unknown = error.certainty() == Certainty::Unknown;
        let suffix = if unknown { " (it may have been done all the same)" } else { "" };
        Self::new(exit, format!("{}{suffix}", with_source(error.message(), error.source())))
    }
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

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Exit::Ok, ""),
            _ => Self::new(Exit::Unavailable, error.to_string()),
        }
    }
}

/// The message and that of its cause, unless it says so already. What lies deeper is for programmers.
fn with_source(message: &str, source: Option<&(dyn StdError + 'static)>) -> String {
    match source.map(ToString::to_string) {
        Some(cause) if !message.contains(&cause) => format!("{message}: {cause}"),
        _ => message.to_owned(),
    }
}
