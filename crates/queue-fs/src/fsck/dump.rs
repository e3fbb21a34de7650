//! Printing a journal entry by entry.

use super::{
    describe::describe,
    locked_store::LockedStore,
    walk::{WalkEvent, walk},
};
use crate::format::{Head, JournalChange, segment_name};
use queue_core::{Error, ErrorKind, Result};
use std::{fmt, io, path::Path};

/// One entry of a dump: a file, a record, a change or damage. As text it is the words, indented
/// below what it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpEntry {
    /// What it is about.
    pub part: DumpPart,
    /// The name of the file.
    pub file: String,
    /// Where in the file it begins, in bytes; `None` for a file as a whole.
    pub offset: Option<u64>,
    /// The number of the record; `None` for a file, and where no record can be read.
    pub record: Option<u64>,
    /// What is said. Names and ids stand in it as they were stored.
    pub words: String,
}

/// What an entry of a dump is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DumpPart {
    /// A file begins.
    File,
    /// A record, written whole or not at all.
    Record,
    /// A change in the record that was met last.
    Change,
    /// The remains of a write that a crash cut short, for which no caller got an answer.
    Torn,
    /// Something that is not as this library wrote it.
    Damage,
}

impl DumpPart {
    /// In one lower-case word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Record => "record",
            Self::Change => "change",
            Self::Torn => "torn",
            Self::Damage => "damage",
        }
    }
}

impl fmt::Display for DumpEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, file, offset, record, words } = self;
        match (offset, record, part) {
            (None, ..) => write!(f, "{file}: {words}"),
            (Some(_), Some(_), DumpPart::Change | DumpPart::Damage) => write!(f, "    {words}"),
            (Some(offset), ..) => write!(f, "  at {offset}: {words}"),
        }
    }
}

/// Describes the journal of a directory in words: one entry for each file, record and change.
/// Payloads, results and tokens are not shown, only how long they are. Damage is an entry at its
/// place, and the entries after it follow.
///
/// # Errors
/// As [`check`](super::check), and `Unavailable` with the first error of `print_entry` as its
/// source; it is not called again after that.
pub fn dump(
    directory: impl AsRef<Path>,
    mut print_entry: impl FnMut(&DumpEntry) -> io::Result<()>,
) -> Result<()> {
    let place = LockedStore::at_path("dump", directory.as_ref())?;
    let mut written = Ok(());
    let walked = walk(&place, |step| {
        let mut entries = entries(step).into_iter();
        written = std::mem::replace(&mut written, Ok(()))
            .and_then(|()| entries.try_for_each(|entry| print_entry(&entry)));
    });
    walked.map_err(|fault| fault.of("dump"))?;
    written.map_err(|error| {
        Error::new(ErrorKind::Unavailable, "dump", "the output cannot be written").with_source(error)
    })
}

fn entries(step: WalkEvent<'_>) -> Vec<DumpEntry> {
    match step {
        WalkEvent::File { number, bytes, head, is_leftover } => {
            let words = match head {
                _ if is_leftover => format!("{bytes} bytes, left by a crash, without records"),
                Ok(head) => {
                    let (first, oldest) = (head.first_commit, head.oldest);
                    format!("{bytes} bytes, first record {first}, needed from file {oldest} on")
                }
                Err(ref error) => format!("{bytes} bytes, DAMAGED: {error:?}"),
            };
            let part = if head.is_err() && !is_leftover { DumpPart::Damage } else { DumpPart::File };
            vec![DumpEntry { part, file: segment_name(number), offset: None, record: None, words }]
        }
        WalkEvent::Record { head, at, changes } => {
            of_record(head, &segment_name(at.segment), at.offset, changes)
        }
        WalkEvent::Bad { at, bytes, what, is_torn } => {
            let (part, word) =
                if is_torn { (DumpPart::Torn, "torn by a crash") } else { (DumpPart::Damage, "DAMAGED") };
            let words = format!("{bytes} bytes {word}: {what}");
            let file = segment_name(at.segment);
            let offset = Some(at.offset);
            vec![DumpEntry { part, file, offset, record: None, words }]
        }
    }
}

/// The record, and each of its changes.
fn of_record(head: Head, file: &str, offset: u64, changes: &[u8]) -> Vec<DumpEntry> {
    let entry = |part, words| {
        let file = file.to_owned();
        let offset = Some(offset);
        let record = Some(head.commit);
        DumpEntry { part, file, offset, record, words }
    };
    let words = format!(
        "record {}, time {}, durable up to {}, needed from file {} on, last life {}",
        head.commit, head.time, head.synced, head.oldest, head.last_seq,
    );
    let changes = JournalChange::read_all(changes).map(|change| match change {
        Ok(change) => entry(DumpPart::Change, describe(&change)),
        Err(malformed) => entry(DumpPart::Damage, format!("DAMAGED: {}", malformed.0)),
    });
    std::iter::once(entry(DumpPart::Record, words)).chain(changes).collect()
}
