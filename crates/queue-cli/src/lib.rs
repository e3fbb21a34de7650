//! The `queue` command: durable background jobs from a shell, over any store that the library
//! opens.
//!
//! `args` defines the arguments, `commands` has one file per command, `output` alone writes to the
//! terminal, and `exit` holds every exit code.
//!
//! The command is a library for two reasons: a program with its own store runs every command on it
//! by [`main_with`], and the end-to-end tests build the very same program, where [`commands`] lets
//! them cover every command.

// What others stored must not act on a terminal: only `output` writes, and it escapes.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod completion;
mod content_type;
mod effect;
mod exit;
mod globals;
mod guardian;
mod help;
mod opener;
mod output;
mod parse;
mod process_group;
mod seldom_warning;
mod service_address;
mod session;
mod signals;
mod store_wait;
mod suggestions;

use args::Cli;
use clap::{CommandFactory, FromArgMatches};
use exit::{CliError, Exit};
use opener::Opener;
use queue::Storage;
use std::{env, ffi::OsString, process::ExitCode, sync::Arc, thread};
use tokio::runtime::Builder;

/// How many threads the runtime has, where that is not the number of processors.
const WORKER_THREADS: &str = "TOKIO_WORKER_THREADS";

/// Runs the program: reads its arguments, executes the command, and returns the exit code.
pub fn main() -> ExitCode {
    run_with(Opener::default())
}

/// Runs the same program with your own stores: `open` gets the URL of `--store` or `QUEUE_STORE`,
/// and passes URLs that it does not know on to [`queue::open`]. It is called once for each command,
/// on a Tokio runtime.
///
/// The store has to outlive the process, as a file or a server does: a store that keeps nothing is
/// refused. A command that must not create a missing store adds `create=never` to the URLs
/// `sqlite:` and `file:`; the openers of other schemes decide about a missing store themselves.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     queue_cli::main_with(|url| async move {
///         match url.strip_prefix("jobs:") {
///             // Here a store of your own would be opened.
///             Some(name) => queue::open(&format!("sqlite:/var/lib/jobs/{name}.db")).await,
///             None => queue::open(&url).await,
///         }
///     })
/// }
/// ```
pub fn main_with<F>(open: impl Fn(String) -> F + Send + Sync + 'static) -> ExitCode
where
    F: Future<Output = queue::Result<Arc<dyn Storage>>> + Send + 'static,
{
    run_with(Opener::new(open))
}

fn run_with(opener: Opener) -> ExitCode {
    if let Some(answered) = completion::answer(&opener) {
        return answered;
    }
    let arguments: Vec<OsString> = env::args_os().collect();
    let mut cli = match parsed(&arguments) {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(exit::of_arguments(error, &arguments) as u8),
    };
    cli.globals.opener = opener;
    let format = cli.globals.format();
    let ended = run(cli);
    let exit = ended.unwrap_or_else(|error| error.report(format));
    ExitCode::from(exit as u8)
}

/// The names of all commands, including hidden ones, for tests that go through all of them.
pub fn commands() -> Vec<String> {
    Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

/// Checks arguments, of which the first is the name of the program, without doing anything, for
/// tests that read commands from pages.
///
/// # Errors
/// The message for arguments that the command does not take.
pub fn check_arguments(arguments: &[impl AsRef<str>]) -> Result<(), String> {
    match parsed(arguments.iter().map(AsRef::as_ref)) {
        Err(error) if error.use_stderr() => Err(error.to_string()),
        // What is no error is the help that was asked for.
        _ => Ok(()),
    }
}

fn parsed<T: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = T>) -> Result<Cli, clap::Error> {
    let mut command = help::command();
    let matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

fn run(cli: Cli) -> Result<Exit, CliError> {
    check_threads()?;
    let mut builder = Builder::new_multi_thread();
    worker_threads(env::var_os(WORKER_THREADS))?.map(|threads| builder.worker_threads(threads));
    let runtime = builder.enable_all().build()?;
    let ended = runtime.block_on(commands::run(cli));
    // A thread may still wait for standard input, which no one needs any more.
    runtime.shutdown_background();
    ended
}

/// The runtime panics where it cannot read its own variable; an empty one is none.
fn worker_threads(value: Option<OsString>) -> Result<Option<usize>, CliError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
    let threads = value.to_str().and_then(|text| text.parse().ok()).filter(|threads| *threads > 0);
    let refused = || {
        CliError::invalid(format!("{WORKER_THREADS} is a number from 1 on, and not `{}`", value.display()))
    };
    threads.ok_or_else(refused).map(Some)
}

/// The runtime panics where the system gives it no thread.
fn check_threads() -> Result<(), CliError> {
    let thread = thread::Builder::new().spawn(|| ()).map_err(|error| {
        let advice = "the system starts no thread: this user, or this host, has as many processes as it may";
        CliError::new(Exit::Unavailable, format!("{advice} ({error})"))
    })?;
    drop(thread.join());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Opener, parsed, run, worker_threads};
    use queue::{Queue, Raw};

    #[test]
    fn threads_of_the_runtime_are_a_number_or_its_own_choice() {
        let of = |value: &str| worker_threads(Some(value.into()));
        assert_eq!(worker_threads(None).unwrap(), None);
        assert_eq!(of("").unwrap(), None);
        assert_eq!(of("2").unwrap(), Some(2));
        for wrong in ["0", "two", "-1"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_command_works_on_a_store_that_the_program_opens() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("own.db").display());
        let own = url.clone();
        let opener = Opener::new(move |asked| {
            assert_eq!(asked, "jobs:own");
            let own = own.clone();
            async move { queue::open(&own).await }
        });
        let mut cli = parsed(["queue", "--store", "jobs:own", "enqueue", "hello"]).unwrap();
        cli.globals.opener = opener;
        run(cli).unwrap();
        let stored = async {
            let jobs: Queue<Raw, Raw> = Queue::new(queue::open(&url).await?, "default")?;
            jobs.counts().await
        };
        let counts = tokio::runtime::Runtime::new().unwrap().block_on(stored).unwrap();
        assert_eq!(counts.total(), 1, "{counts:?}");
    }
}
