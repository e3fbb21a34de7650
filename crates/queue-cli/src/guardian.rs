//! A process that ends the commands of this program when it is killed.
//!
//! The kernel closes the pipe between the two however this program ends. A signal at the death of
//! the parent would do less: it comes when the thread ends that started the command, and it reaches
//! the shell and nothing that the shell has started.

use crate::output::{self, Format};
use rustix::process::Pid;
use std::{
    io::{self, Write},
    os::unix::process::CommandExt,
    process::{ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

const SCRIPT: &str = include_str!("guardian.sh");

/// Knows which process groups run, and kills them when this program has ended. Dropping the last
/// clone ends it, as the end of the program does.
#[derive(Clone, Debug)]
pub(crate) struct Guardian(Option<Arc<Mutex<ChildStdin>>>);

impl Guardian {
    /// Starts the process. Where that is impossible there is a warning, and commands may outlive
    /// this program.
    pub(crate) fn start(format: Format) -> Self {
        let started = spawn();
        if let Err(error) = &started {
            output::warn(
                format,
                format!("if this process is killed, its commands go on: no guardian starts ({error})"),
            );
        }
        Self(started.ok().map(|lines| Arc::new(Mutex::new(lines))))
    }

    pub(crate) fn add(&self, group: Pid) {
        self.write('+', group);
    }

    pub(crate) fn remove(&self, group: Pid) {
        self.write('-', group);
    }

    /// A line is a few bytes, and the guardian does nothing but read, so this does not wait.
    fn write(&self, sign: char, group: Pid) {
        if let Some(lines) = &self.0 {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            let line = format!("{sign} {}\n", group.as_raw_nonzero());
            // If it was killed, commands are on their own.
            drop(lines.write_all(line.as_bytes()));
        }
    }
}

/// Signals for the group of this program do not reach it, and it keeps no directory in use.
fn spawn() -> io::Result<ChildStdin> {
    let mut command = Command::new("sh");
    command.args(["-c", SCRIPT]).current_dir("/").process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    Ok(child.stdin.take().expect("it was asked to be a pipe"))
}
