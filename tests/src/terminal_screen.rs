//! A command that draws on a whole terminal while a test types and looks.

use crate::{CommandDirectory, patience::try_until, screen_cells::ScreenCells, terminal::pair, until};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, kill_process},
    termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize},
};
use std::{
    fs::File,
    io::{Read, Write},
    process::{Child, Command, Stdio},
};

/// What a program writes to take the whole screen, and to give it back.
const TAKEN: &str = "\u{1b}[?1049h";
const GIVEN_BACK: &str = "\u{1b}[?1049l";

/// A command on a terminal of its own; dropping it kills the command.
#[derive(Debug)]
pub struct TerminalScreen {
    ours: File,
    /// Keeps the terminal there once the command has ended.
    _theirs: File,
    child: Child,
    shown: Vec<u8>,
    cells: ScreenCells,
    /// Whether the command took the whole screen.
    is_taken: bool,
}

impl TerminalScreen {
    /// Starts the command with all three streams on a terminal of this size.
    pub fn start(place: &CommandDirectory, size: (u16, u16), arguments: &[&str]) -> Self {
        Self::start_with(place, size, arguments, &[])
    }

    /// The same, with these variables in its environment.
    pub fn start_with(
        place: &CommandDirectory,
        (columns, rows): (u16, u16),
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let (ours, theirs) = pair(columns, rows);
        let stream = || Stdio::from(theirs.try_clone().expect("there are descriptors left"));
        let wanted = place.command(arguments);
        // So that the command finds this terminal as its own, and not the one of the tester.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(wanted.get_program()).args(wanted.get_args()).current_dir(place.path());
        for (variable, value) in wanted.get_envs() {
            match value {
                Some(value) => command.env(variable, value),
                None => command.env_remove(variable),
            };
        }
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR").envs(variables.iter().copied());
        let spawned = command.stdin(stream()).stdout(stream()).stderr(stream()).spawn();
        let child = spawned.expect("cargo built the program");
        let (shown, cells) = (Vec::new(), ScreenCells::default());
        Self { ours: File::from(ours), _theirs: theirs, child, shown, cells, is_taken: false }
    }

    /// Types keys.
    pub fn keys(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).expect("the terminal takes a few keys");
    }

    /// Makes the terminal another size; the command learns of it by a signal.
    pub fn resize(&mut self, (columns, rows): (u16, u16)) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.ours, size).expect("it has a size");
    }

    /// Waits until these words are on the screen, in one line. Unlike [`wait_for`](Self::wait_for),
    /// it finds what was drawn in pieces, or together with what was waited for before.
    #[track_caller]
    pub fn wait_to_see(&mut self, words: &str) {
        let seen = try_until(|| {
            self.read();
            self.cells.text().contains(words).then_some(())
        });
        assert!(seen.is_some(), "{words:?} is never seen on this screen:\n{}", self.seen());
    }

    /// What the screen shows, as far as it was read.
    pub fn seen(&self) -> String {
        self.cells.text()
    }

    /// Waits until a word without blanks is written, and forgets all that was. It has to be drawn
    /// where nothing stood that shares a letter with it, and after what was waited for before.
    #[track_caller]
    pub fn wait_for(&mut self, word: &str) {
        until(&format!("{word:?} is on the screen"), || {
            self.read();
            self.text().contains(word).then_some(())
        });
        self.is_taken |= self.text().contains(TAKEN);
        self.shown.clear();
    }

    /// Sends the command a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).expect("a process number is not zero");
        kill_process(pid, signal).expect("it is our child");
    }

    /// Waits for the end, and checks that the terminal is as it was. The answer is the exit code,
    /// and all that was written since the last look.
    #[track_caller]
    pub fn end(mut self) -> (i32, String) {
        let status = until("the command ends", || {
            self.read();
            self.child.try_wait().expect("it is our child")
        });
        self.read();
        let modes = tcgetattr(&self.ours).expect("it is a terminal").local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO), "the terminal is left raw: {modes:?}");
        let text = self.text();
        let is_taken = self.is_taken || text.contains(TAKEN);
        assert!(!is_taken || text.contains(GIVEN_BACK), "the screen is not given back: {text:?}");
        (status.code().expect("it ended by itself"), text)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.shown).into_owned()
    }

    /// Reads what is there.
    fn read(&mut self) {
        let mut part = [0; 4096];
        loop {
            let mut ready = [PollFd::new(&self.ours, PollFlags::IN)];
            let none = Timespec { tv_sec: 0, tv_nsec: 0 };
            let count = poll(&mut ready, Some(&none)).unwrap_or(0);
            let is_readable = count > 0 && ready[0].revents().contains(PollFlags::IN);
            match is_readable.then(|| self.ours.read(&mut part)) {
                Some(Ok(read @ 1..)) => {
                    self.shown.extend_from_slice(&part[..read]);
                    self.cells.write(&part[..read]);
                }
                _ => return,
            }
        }
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        // Both fail if it was waited for already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
