//! The width of the terminal, whether a person watches, and the question that is answered with
//! `yes`.

use super::note;
use rustix::termios::tcgetwinsize;
use std::{
    env,
    io::{self, BufRead, IsTerminal, Write},
};

/// Whether standard output is a terminal that moves its cursor on request; one that calls itself
/// `dumb` prints the escape codes.
pub(crate) fn is_drawn_on() -> bool {
    io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// The columns of standard output, if it is a terminal that reports them.
pub(crate) fn columns() -> Option<usize> {
    let stdout = io::stdout();
    let size = stdout.is_terminal().then(|| tcgetwinsize(&stdout).ok()).flatten()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// Whether a person can answer a question, which is asked on standard error and answered on
/// standard input.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a person, and waits for a line. Everything except `yes` means no.
pub(crate) fn is_yes(question: &str) -> io::Result<bool> {
    note(question);
    let mut err = io::stderr().lock();
    write!(err, "Type yes to go on: ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim() == "yes")
}
