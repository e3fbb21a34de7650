//! A pseudo-terminal on which a test runs the `queue` command and types answers.

use crate::{CommandDirectory, CommandRun};
use rustix::{
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use std::{
    fs::File,
    io::{Read, Write},
    os::fd::OwnedFd,
    process::{Command, Stdio},
};

/// A terminal, and the input of its user.
#[derive(Clone, Copy, Debug)]
pub struct Terminal<'t> {
    /// The width in columns.
    pub columns: u16,
    /// The input, typed before any question.
    pub typed: &'t str,
}

impl Terminal<'_> {
    /// Runs the command to its end, with all three streams on the terminal; what it shows counts as
    /// standard output, with plain ends of lines.
    pub fn run(self, place: &CommandDirectory, arguments: &[&str]) -> CommandRun {
        let (ours, theirs) = pair(self.columns, 24);
        let stream = || Stdio::from(theirs.try_clone().expect("there are descriptors left"));
        let mut command: Command = place.command(arguments);
        let spawned = command.stdin(stream()).stdout(stream()).stderr(stream()).spawn();
        let mut child = spawned.expect("cargo built the program");
        // Only the child and its children hold the terminal then, and reading ends with them.
        drop((command, theirs));
        let mut ours = File::from(ours);
        ours.write_all(self.typed.as_bytes()).expect("there is room for a line");
        let shown = read_to_the_end(&mut ours);
        let status = child.wait().expect("it is our child");
        let stdout = String::from_utf8_lossy(&shown).replace("\r\n", "\n").into_bytes();
        CommandRun { code: status.code().expect("it ended by itself"), stdout, stderr: String::new() }
    }
}

/// Both ends of a new terminal of this size: the one of its user, and that of the command.
pub(crate) fn pair(columns: u16, rows: u16) -> (OwnedFd, File) {
    // Commands that are started meanwhile by other tests must not hold it.
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours = openpt(flags).expect("the system has terminals");
    grantpt(&ours).expect("it is ours");
    unlockpt(&ours).expect("it is ours");
    let name = ptsname(&ours, Vec::new()).expect("it has a name");
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).expect("it has a size");
    let path = name.to_str().expect("plain characters");
    (ours, File::options().read(true).write(true).open(path).expect("it is unlocked"))
}

/// Reads to the end: a terminal that no process writes to any more answers with an error.
fn read_to_the_end(terminal: &mut File) -> Vec<u8> {
    let mut shown = Vec::new();
    let mut part = [0; 4096];
    while let Ok(read @ 1..) = terminal.read(&mut part) {
        shown.extend_from_slice(&part[..read]);
    }
    shown
}
