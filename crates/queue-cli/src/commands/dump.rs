use crate::exit::{CliError, Exit};
use clap::Args;
use queue::queue_fs::dump;
use std::{
    error::Error,
    io::{self, BufWriter, Write},
    path::PathBuf,
};

#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// The directory of the store: what stands behind `file:` in its URL
    directory: PathBuf,
}

/// Writes line by line, since a journal may be long.
pub(crate) fn run(args: &DumpArgs) -> Result<Exit, CliError> {
    let mut out = BufWriter::new(io::stdout().lock());
    let dumped = dump(&args.directory, &mut out);
    let flushed = out.flush();
    match dumped {
        // A reader that has seen enough is no failure.
        Err(error) if is_broken_pipe(&error) => Ok(Exit::Ok),
        Err(error) => Err(error.into()),
        Ok(()) => {
            flushed?;
            Ok(Exit::Ok)
        }
    }
}

fn is_broken_pipe(error: &queue::Error) -> bool {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
