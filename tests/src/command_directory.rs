//! A temporary working directory in which a test runs the `queue` command.

use crate::{CommandRun, Process, heeded_signals::heed_signals, until};
use serde_json::Value;
use std::{
    fs::{self, File},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};
use tempfile::TempDir;

/// A working directory in which the command finds its default store.
#[derive(Debug)]
pub struct CommandDirectory {
    program: PathBuf,
    directory: TempDir,
    runs: AtomicU32,
}

impl CommandDirectory {
    /// A new directory for the program, which integration tests know as
    /// `env!("CARGO_BIN_EXE_queue-e2e")`.
    pub fn new(program: &str) -> Self {
        let directory = tempfile::tempdir().expect("there is room for temporary files");
        fs::create_dir(directory.path().join("work")).expect("the directory is fresh");
        fs::create_dir(directory.path().join("streams")).expect("the directory is fresh");
        Self { program: program.into(), directory, runs: AtomicU32::new(0) }
    }

    /// The directory in which commands run.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join("work")
    }

    /// The URL of the default store, for use from elsewhere.
    pub fn url(&self) -> String {
        format!("sqlite:{}", self.path().join("queue.db").display())
    }

    /// Runs the command to its end.
    pub fn run(&self, arguments: &[&str]) -> CommandRun {
        self.start(arguments).wait()
    }

    /// Runs the command with something on standard input.
    pub fn run_with(&self, arguments: &[&str], input: &[u8]) -> CommandRun {
        self.start_with(arguments, input).wait()
    }

    /// Runs the command to its end, with this variable in its environment.
    pub fn run_where(&self, variable: (&str, &str), arguments: &[&str]) -> CommandRun {
        self.start_where(variable, arguments).wait()
    }

    /// Starts the command with this variable in its environment.
    pub fn start_where(&self, variable: (&str, &str), arguments: &[&str]) -> Process {
        let mut command = self.command(arguments);
        command.env(variable.0, variable.1);
        self.spawn(command, b"")
    }

    /// Runs the command to its end, with a full disk as its standard output.
    pub fn run_on_full_disk(&self, arguments: &[&str]) -> CommandRun {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        self.spawn_into(self.command(arguments), b"", Some(full.into())).wait()
    }

    /// Starts the command.
    pub fn start(&self, arguments: &[&str]) -> Process {
        self.start_with(arguments, b"")
    }

    /// Starts the command as another user, who may have so many processes and threads. The runtime
    /// has one thread, on any machine.
    pub fn start_limited(&self, processes: u32, user: u32, arguments: &[&str]) -> Process {
        let program = self.directory.path().join("queue");
        if !program.exists() {
            // The user may not reach the place where cargo has put it.
            fs::copy(&self.program, &program).expect("there is room for the program");
        }
        let mut command = self.command_of(Path::new("prlimit"), &[]);
        command.arg(format!("--nproc={processes}")).arg(program).args(arguments);
        command.env("TOKIO_WORKER_THREADS", "1").uid(user).gid(user);
        self.spawn(command, b"")
    }

    /// Starts `queue serve` at an address with these arguments, on a store that it makes if there
    /// is none yet, and returns the address at which it listens once it does.
    pub fn serve(&self, address: &str, arguments: &[&str]) -> (Process, String) {
        let process =
            self.start(&[&["serve", "--create", "--json", "--listen", address], arguments].concat());
        let line = until("it listens", || {
            let said = String::from_utf8_lossy(&process.stdout()).into_owned();
            said.lines().next().filter(|_| said.ends_with('\n')).map(str::to_owned)
        });
        let said: Value = serde_json::from_str(&line).expect("an object");
        let address = said["addresses"][0].as_str().expect("an address").to_owned();
        (process, address)
    }

    /// The command without its streams.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(&self.program, arguments)
    }

    fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        heed_signals();
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.path());
        for variable in ["QUEUE_STORE", "QUEUE_NAME", "QUEUE_SERVER", "QUEUE_TOKEN_FILE"] {
            command.env_remove(variable);
        }
        command
    }

    fn start_with(&self, arguments: &[&str], input: &[u8]) -> Process {
        self.spawn(self.command(arguments), input)
    }

    fn spawn(&self, command: Command, input: &[u8]) -> Process {
        self.spawn_into(command, input, None)
    }

    /// With standard output elsewhere, the process has written none.
    fn spawn_into(&self, mut command: Command, input: &[u8], output: Option<Stdio>) -> Process {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let stream = |name: &str| self.directory.path().join("streams").join(format!("{run}-{name}"));
        let (stdin, stdout, stderr) = (stream("in"), stream("out"), stream("err"));
        fs::write(&stdin, input).expect("there is room for temporary files");
        let written = create(&stdout);
        let child = command
            .stdin(File::open(&stdin).expect("it was just written"))
            .stdout(output.unwrap_or(written))
            .stderr(create(&stderr))
            .spawn()
            .expect("cargo built the program");
        Process { child, stdout, stderr }
    }
}

fn create(path: &Path) -> Stdio {
    File::create(path).expect("there is room for temporary files").into()
}
