//! The arguments of the command: the list of its subcommands.

#[cfg(feature = "top")]
use crate::commands::top::TopArgs;
use crate::{
    commands::{
        batch::BatchArgs,
        change::{
            amend::AmendArgs, bulk::BulkArgs, cancel::CancelArgs, delete::DeleteArgs,
            operations::OperationsArgs, promote::PromoteArgs, prune::PruneArgs, redrive::RedriveArgs,
        },
        jobs::{
            enqueue::EnqueueArgs, errors::ErrorsArgs, events::EventsArgs, list::ListArgs, result::ResultArgs,
            show::ShowArgs, status::StatusArgs, wait::WaitArgs,
        },
        queues::{
            limits::LimitsArgs,
            overview::QueuesArgs,
            partitions::PartitionsArgs,
            pause::{PauseArgs, ResumeArgs},
            stats::StatsArgs,
        },
        schedule::ScheduleArgs,
        service::{serve::ServeArgs, token::TokenArgs},
        shell::{completions::CompletionsArgs, man::ManArgs},
        store::{copy::CopyArgs, doctor::DoctorArgs, dump::DumpArgs, fsck::FsckArgs, migrate::MigrateArgs},
        workers::{drain::DrainArgs, lead::LeadArgs, list::WorkersArgs, work::WorkArgs},
    },
    exit,
    globals::Globals,
};
use clap::{Parser, Subcommand};

/// Durable background jobs from a shell.
///
/// Jobs live in a store that survives crashes: a file such as `sqlite:jobs.db`, or another store
/// that the URL names. Delivery is at least once, so the command that `queue work` runs must
/// tolerate being run again for the same job.
#[derive(Debug, Parser)]
#[command(name = "queue", version, after_help = exit::HELP, propagate_version = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
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
    /// Show the state of a job
    Status(StatusArgs),
    /// Show all of a job: its state, its payload, its result, the details of its error
    Show(ShowArgs),
    /// Write the result of a completed job to standard output, byte for byte
    Result(ResultArgs),
    /// Wait until a job is finished, then do what `result` does
    Wait(WaitArgs),
    /// Cancel a job
    Cancel(CancelArgs),
    /// List jobs
    List(ListArgs),
    /// Group failures by kind and error: how many, since when, and an example
    Errors(ErrorsArgs),
    /// Count jobs by state, and show the workers
    Stats(StatsArgs),
    /// List the queues of the store, each with its jobs by state and whether it is paused
    Queues(QueuesArgs),
    /// List the workers of the store: what each runs, since when, and whether it drains
    Workers(WorkersArgs),
    /// Ask a worker to finish what it runs and then exit
    Drain(DrainArgs),
    /// Follow the changes of all jobs as they happen
    Events(EventsArgs),
    /// Make a job that is scheduled for later due now
    Promote(PromoteArgs),
    /// Run failed or cancelled jobs again, with fresh attempts
    Redrive(RedriveArgs),
    /// Change a job that waits: its payload, its priority, its time or how long it is kept
    Amend(AmendArgs),
    /// Remove a job that is not running, with its result
    Delete(DeleteArgs),
    /// Change all jobs that a filter selects, so that the change survives this program
    Bulk(BulkArgs),
    /// List the changes of many jobs: what each did, to how many, and how far it is
    Operations(OperationsArgs),
    /// Remove many finished jobs at once, or empty the queue
    Prune(PruneArgs),
    /// Stop handing out jobs of the queue, of a kind or to a worker, for a time or until `resume`
    Pause(PauseArgs),
    /// End a pause
    Resume(ResumeArgs),
    /// Limit how many jobs of a partition run at once, and set how large its share is
    Limits(LimitsArgs),
    /// List the partitions of the queue: leases and their limit, jobs that wait, the oldest due
    Partitions(PartitionsArgs),
    /// Enqueue jobs at calendar times
    Schedule(ScheduleArgs),
    /// Enqueue jobs together, and callbacks once all of them have ended
    Batch(BatchArgs),
    /// Watch queues, jobs, errors and workers on a screen, and change them by keys
    #[cfg(feature = "top")]
    Top(TopArgs),
    /// Serve the store over HTTP, to programs in any language and on any host
    Serve(Box<ServeArgs>),
    /// Make, list and revoke the tokens of a service
    Token(TokenArgs),
    /// Cross-check all that a store holds, while others use it
    Verify,
    /// Look at the health of the store: what is wrong, and what to do about it
    Doctor(DoctorArgs),
    /// Check the files of a store in a directory, and save what can be read
    Fsck(FsckArgs),
    /// Print in words what the files of a store in a directory hold
    Dump(DumpArgs),
    /// Copy all jobs of a store to another one, of any kind
    Copy(CopyArgs),
    /// Bring the schema of a store up to date, or print it as SQL (Postgres)
    Migrate(MigrateArgs),
    /// Write a script with which a shell completes this command
    Completions(CompletionsArgs),
    /// Write a manual page for each command into a directory
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::{Arg, Command, CommandFactory};
    use std::collections::BTreeSet;

    /// Options of an enqueue that have no meaning for the job of a tick, which has its id and its
    /// time from the tick, and options about the call.
    const OF_AN_ENQUEUE_ALONE: [&str; 8] =
        ["debounce", "id", "ids", "lines", "max-wait", "on-failed", "timeout", "wait"];

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_schedule_takes_every_option_of_a_job_that_an_enqueue_takes() {
        let all = Cli::command();
        let options = |path: &[&str]| -> BTreeSet<String> {
            let find = |command: &Command, name: &&str| command.find_subcommand(name).expect(name).clone();
            let command = path.iter().fold(all.clone(), |command, name| find(&command, name));
            command.get_arguments().filter_map(Arg::get_long).map(ToOwned::to_owned).collect()
        };
        let (enqueue, add) = (options(&["enqueue"]), options(&["schedule", "add"]));
        let lacking: Vec<&str> = enqueue.difference(&add).map(String::as_str).collect();
        assert_eq!(lacking, OF_AN_ENQUEUE_ALONE);
    }
}
