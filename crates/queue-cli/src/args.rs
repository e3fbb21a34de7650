//! The arguments of the whole command: the options that every subcommand takes, and the list of
//! subcommands.

use crate::{
    commands::{
        cancel::CancelArgs, completions::CompletionsArgs, delete::DeleteArgs, drain::DrainArgs,
        dump::DumpArgs, enqueue::EnqueueArgs, errors::ErrorsArgs, events::EventsArgs, fsck::FsckArgs,
        lead::LeadArgs, list::ListArgs, man::ManArgs, migrate::MigrateArgs, promote::PromoteArgs,
        prune::PruneArgs, queues::QueuesArgs, redrive::RedriveArgs, result::ResultArgs,
        schedule::ScheduleArgs, show::ShowArgs, stats::StatsArgs, status::StatusArgs, wait::WaitArgs,
        work::WorkArgs, workers::WorkersArgs,
    },
    demo::{DemoArgs, DemoWorkerArgs},
    exit,
    opener::Opener,
    output::Format,
};
use clap::{Args, Parser, Subcommand};
use queue::QueueName;

/// Durable background jobs from a shell.
///
/// Jobs live in a store that survives crashes: a file such as `sqlite:jobs.db`, or whatever else
/// the URL names. Delivery is at least once, so what `queue work` runs must bear being run again.
#[derive(Debug, Parser)]
#[command(name = "queue", version, after_help = exit::HELP, propagate_version = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Globals {
    /// Where the jobs live.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        help = "The store [env: QUEUE_STORE] [default: sqlite:queue.db, in the working directory]",
        help_heading = "Global options"
    )]
    pub(crate) store: Option<String>,
    /// Which of the queues there.
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        help = "The queue within the store [env: QUEUE_NAME] [default: default]",
        help_heading = "Global options"
    )]
    pub(crate) queue: Option<QueueName>,
    /// Print JSON, one object a line; errors too, on standard error
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// No argument: what the program that runs the command opens stores with.
    #[arg(skip)]
    pub(crate) opener: Opener,
}

impl Globals {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Human }
    }
}

/// One variant per command; each has a file of its own.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Store a job, or one job for each line of a file
    Enqueue(EnqueueArgs),
    /// Run a shell command for each job
    Work(WorkArgs),
    /// Run a shell command in one process at a time
    Lead(LeadArgs),
    /// Show how a job stands
    Status(StatusArgs),
    /// Show all of a job: how it stands, its payload, its result, the details of its error
    Show(ShowArgs),
    /// Write the result of a completed job to standard output, byte for byte
    Result(ResultArgs),
    /// Wait until a job is finished, then do as `result` does
    Wait(WaitArgs),
    /// Take a job back
    Cancel(CancelArgs),
    /// List jobs
    List(ListArgs),
    /// Group what failed by kind and error: how often, since when, and an example
    Errors(ErrorsArgs),
    /// Count jobs by state, and show the workers
    Stats(StatsArgs),
    /// List the queues of the store, each with its jobs by state and whether it is paused
    Queues(QueuesArgs),
    /// List the workers of the store: what each runs, since when, and whether it drains
    Workers(WorkersArgs),
    /// Ask a worker to finish what it runs and to end
    Drain(DrainArgs),
    /// Follow the changes of all jobs as they happen
    Events(EventsArgs),
    /// Make a job that waits for its time due now
    Promote(PromoteArgs),
    /// Run failed or cancelled jobs again, with fresh attempts
    Redrive(RedriveArgs),
    /// Remove a job that does not run, with its result
    Delete(DeleteArgs),
    /// Remove many finished jobs at once, or empty the queue
    Prune(PruneArgs),
    /// Stop handing out jobs of the queue to any worker
    Pause,
    /// End a pause
    Resume,
    /// Enqueue jobs at times of a calendar
    Schedule(ScheduleArgs),
    /// Compare all that a store holds with itself, while others use it
    Verify,
    /// Check the files of a store in a directory, and save what can be read
    Fsck(FsckArgs),
    /// Show in words what the files of a store in a directory hold
    Dump(DumpArgs),
    /// Bring the schema of a store up to date, or print it as SQL (Postgres)
    Migrate(MigrateArgs),
    /// Write what makes a shell complete this command
    Completions(CompletionsArgs),
    /// Write a manual page for each command into a directory
    Man(ManArgs),
    /// See it work: real jobs, real worker processes, one of them killed, and a proof that nothing
    /// was lost
    Demo(DemoArgs),
    /// One worker of the demo
    #[command(hide = true)]
    DemoWorker(DemoWorkerArgs),
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
