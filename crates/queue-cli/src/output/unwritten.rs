//! The answer of a change that could not be written.

use std::{error::Error, fmt, io};

/// A change was made, and its answer did not reach standard output: the error carries the answer.
#[derive(Debug)]
pub(crate) struct UnwrittenAnswer {
    cause: io::Error,
    answer: String,
}

impl UnwrittenAnswer {
    /// The error of a failed write after a change. A reader that has closed the output wants no
    /// answer, so that error stays as it is.
    pub(super) fn of(cause: io::Error, answer: String) -> io::Error {
        match cause.kind() {
            io::ErrorKind::BrokenPipe => cause,
            _ => io::Error::other(Self { cause, answer }),
        }
    }

    /// Whether an error is one of these.
    pub(crate) fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<Self>)
    }
}

impl fmt::Display for UnwrittenAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the change was made, but its answer could not be written ({})", self.cause)?;
        if self.answer.is_empty() { Ok(()) } else { write!(f, ": {}", self.answer) }
    }
}

impl Error for UnwrittenAnswer {}
