//! The command `queue dump`: prints the records in the files of a store in a directory, in words or
//! as JSON.

use crate::{
    exit::{CliError, Exit},
    output::{Format, Output, Text},
};
use clap::Args;
use queue::queue_fs::{DumpEntry, dump};
use serde_json::json;
use std::{error::Error, io, mem, path::PathBuf};

/// The lines of one write; a journal may be too long for one.
const LINES_MAX: usize = 1000;

#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// The directory of the store: the path after `file:` in its URL
    directory: PathBuf,
}

pub(crate) fn run(args: &DumpArgs, out: Output) -> Result<Exit, CliError> {
    let mut lines = Vec::new();
    let dumped = dump(&args.directory, |entry| {
        if out.format() == Format::Json {
            return out.object(&object(entry));
        }
        lines.push(entry.to_string());
        if lines.len() < LINES_MAX { Ok(()) } else { write(&mut lines, out) }
    });
    match dumped {
        // A reader that stops reading is not a failure.
        Err(error) if is_broken_pipe(&error) => return Ok(Exit::Ok),
        dumped => dumped?,
    }
    write(&mut lines, out)?;
    Ok(Exit::Ok)
}

fn write(lines: &mut Vec<String>, out: Output) -> io::Result<()> {
    out.text(mem::take(lines).into_iter().map(Text::from).collect::<Text>())
}

fn object(entry: &DumpEntry) -> serde_json::Value {
    json!({
        "entry": entry.part.as_str(),
        "file": entry.file,
        "offset": entry.offset,
        "record": entry.record,
        "words": entry.words,
    })
}

fn is_broken_pipe(error: &queue::Error) -> bool {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
