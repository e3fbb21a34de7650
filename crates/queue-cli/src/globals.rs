//! The options that every subcommand takes.

use crate::{
    effect::Effect,
    opener::Opener,
    output::{Format, Output},
};
use clap::Args;
use queue::QueueName;
use std::path::PathBuf;

/// The options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Globals {
    /// The store that holds the jobs.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        help = "The store [env: QUEUE_STORE] [default: sqlite:queue.db, in the working directory]",
        help_heading = "Global options"
    )]
    pub(crate) store: Option<String>,
    /// The service in place of a store.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        conflicts_with = "store",
        help = "A `queue serve` in place of a store, such as https://host:8443 [env: QUEUE_SERVER]",
        help_heading = "Global options"
    )]
    pub(crate) server: Option<String>,
    /// The token for the service.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        help = "The file of the token for --server [env: QUEUE_TOKEN_FILE]",
        help_heading = "Global options"
    )]
    pub(crate) token_file: Option<PathBuf>,
    /// The queue in the store.
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        help = "The queue within the store [env: QUEUE_NAME] [default: default]",
        help_heading = "Global options"
    )]
    pub(crate) queue: Option<QueueName>,
    /// Print JSON, one object per line; errors too, on standard error
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// Not an argument: how the program that runs the command opens stores.
    #[arg(skip)]
    pub(crate) opener: Opener,
    /// Not an argument: what the command has done before it answers.
    #[arg(skip)]
    pub(crate) effect: Effect,
}

impl Globals {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Human }
    }

    /// Where the command writes its answer.
    pub(crate) fn output(&self) -> Output {
        Output::new(self.format()).after(self.effect)
    }
}
