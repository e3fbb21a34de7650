use super::{
    place::Place,
    tell::tell,
    walk::{Step, walk},
};
use crate::format::{Change, segment_name};
use queue_core::{Error, ErrorKind, Result};
use std::{io, io::Write, path::Path};

/// Writes what the journal of a directory says, in words, one line for each file, record and change. Payloads, results and
/// tokens are not shown, only how long they are. Damage is told where it stands, and the rest goes on behind it.
///
/// # Errors
/// As [`check`](super::check), and `Unavailable` if nothing can be written, with the cause as its source.
pub fn dump(directory: impl AsRef<Path>, out: &mut dyn Write) -> Result<()> {
    let place = Place::at_path("dump", directory.as_ref())?;
    let mut written = Ok(());
    let told = walk(&place, |step| {
        if written.is_ok() {
            written = line(out, step);
        }
    });
    told.map_err(|fault| fault.of("dump"))?;
    written.map_err(|error| {
        Error::new(ErrorKind::Unavailable, "dump", "the output cannot be written").with_source(error)
    })
}

fn line(out: &mut dyn Write, step: Step<'_>) -> io::Result<()> {
    match step {
        Step::File { number, bytes, is_leftover: true, .. } => {
            let name = segment_name(number);
            writeln!(out, "{name}: {bytes} bytes, left by a crash, without records")
        }
        Step::File { number, bytes, head: Ok(head), .. } => {
            let (name, first, oldest) = (segment_name(number), head.first_commit, head.oldest);
            writeln!(out, "{name}: {bytes} bytes, first record {first}, needed from file {oldest} on")
        }
        Step::File { number, bytes, head: Err(error), .. } => {
            let name = segment_name(number);
            writeln!(out, "{name}: {bytes} bytes, DAMAGED: {error:?}")
        }
        Step::Record { head, at, changes } => {
            writeln!(
                out,
                "  at {}: record {}, time {}, durable up to {}, needed from file {} on, last life {}",
                at.offset, head.commit, head.time, head.synced, head.oldest, head.last_seq,
            )?;
            for change in Change::read_all(changes) {
                match change {
                    Ok(change) => writeln!(out, "    {}", tell(&change))?,
                    Err(malformed) => writeln!(out, "    DAMAGED: {}", malformed.0)?,
                }
            }
            Ok(())
        }
        Step::Bad { at, bytes, what, is_torn } => {
            let word = if is_torn { "torn by a crash" } else { "DAMAGED" };
            writeln!(out, "  at {}: {bytes} bytes {word}: {what}", at.offset)
        }
    }
}
