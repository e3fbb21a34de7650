//! The command `queue man`: writes a manual page for each command into a directory.

use crate::{
    exit::{CliError, Exit},
    help::manual,
    output::Output,
};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Read one with `man DIRECTORY/queue-enqueue.1`. In share/man/man1 below a directory of $PATH, `man queue` finds them.")]
pub(crate) struct ManArgs {
    /// The directory for queue.1 and one page per command; created if it is missing
    directory: PathBuf,
}

pub(crate) fn run(args: &ManArgs, out: Output) -> Result<Exit, CliError> {
    let directory = &args.directory;
    let shown = directory.display();
    manual::write_to(directory)
        .map_err(|error| CliError::invalid(format!("cannot write manual pages to {shown}: {error}")))?;
    out.answer(|| format!("wrote manual pages to {shown}"), || json!({"directory": shown.to_string()}))?;
    Ok(Exit::Ok)
}
