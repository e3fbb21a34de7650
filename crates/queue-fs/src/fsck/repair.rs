//! Writing what can be read of a damaged store to a new journal.

use super::{
    CheckReport,
    examine::{Finding, examine},
    locked_store::LockedStore,
    salvage::Salvage,
    walk::OTHER_VERSION,
};
use crate::{
    error::FsFault,
    format::{Head, SEGMENT_HEAD_BYTES, Salt, SegmentHead, seal, segment_name, start},
    journal::SegmentFiles,
    state::FsState,
    sys::{Fs, FsFile, Open},
};
use queue_core::{Result, Seq, SystemRng};
use std::{io, path::Path, sync::Arc};

/// The name of the new file until it is whole.
const UNFINISHED: &str = "repair.tmp";
/// What damaged files are called afterwards.
pub(crate) const ASIDE: &str = "damaged-";
/// Jobs in one record of the new file are about this many bytes.
const RECORD_BYTES: usize = 1 << 20;

/// Saves what can be read of a damaged store: every such job goes into a new file, and the old ones
/// are put aside under other names. A sound store is left as it is.
///
/// A damaged store is taken away from the processes that have it open. Their acknowledged writes
/// are saved, as far as they can be read, and from then on their calls answer `Closed`.
///
/// A job whose last changes are lost is as it was before them, so work may be done again; a job
/// whose first record is lost is lost with it. A repair that was interrupted can be run again.
///
/// # Errors
/// The errors of [`check`](super::check), and `Unsupported` if a file is of another version of this
/// library.
pub fn repair(directory: impl AsRef<Path>) -> Result<CheckReport> {
    let place = LockedStore::at_path("repair", directory.as_ref())?;
    run(place).map_err(|fault| fault.of("repair"))
}

/// The same for a simulated directory, in tests.
#[doc(hidden)]
pub fn repair_in(fs: Arc<dyn Fs>) -> Result<CheckReport> {
    LockedStore::lock(fs).and_then(run).map_err(|fault| fault.of("repair"))
}

fn run(mut place: LockedStore) -> Result<CheckReport, FsFault> {
    let Salvage { mut report, state, commit, last_segment, .. } = match examine(&place)? {
        Finding::Sound(report) => return Ok(report),
        Finding::Damaged(salvage) => *salvage,
    };
    if let Some(other) = report.damage.iter().find(|damage| damage.what == OTHER_VERSION) {
        return Err(FsFault::other_version(&other.file));
    }
    let number = last_segment.checked_add(1).ok_or_else(no_number_left)?;
    // Nothing is written before this: programs that have the store open now find another lock file,
    // and end (ADR 0025).
    place.take_over()?;
    let file = place.fs.open(UNFINISHED, Open::OrCreate).map_err(|error| FsFault::io(UNFINISHED, error))?;
    let new = New { state: &state, file: &*file, number, salt: Salt::random(&SystemRng) };
    new.write(&mut SegmentFiles::new(place.fs.clone()), commit)?;
    let name = segment_name(number);
    step(&name, place.fs.rename(UNFINISHED, &name).and_then(|()| place.fs.sync_names()))?;
    // The new file is in place and durable by now, so a crash between two renames loses nothing,
    // and the repair can be run again.
    for old in place.numbers.iter().map(|number| segment_name(*number)) {
        let aside = format!("{ASIDE}{old}");
        step(&old, place.fs.rename(&old, &aside).and_then(|()| place.fs.sync_names()))?;
        report.put_aside.push(aside);
    }
    place.clear_mark()?;
    Ok(report)
}

fn no_number_left() -> FsFault {
    FsFault::invalid("a file has the highest number that there is; put it aside by hand".to_owned())
}

fn step(name: &str, outcome: io::Result<()>) -> Result<(), FsFault> {
    outcome.map_err(|error| FsFault::io(name, error))
}

/// The file that takes the place of all others.
#[derive(Debug)]
struct New<'n> {
    state: &'n FsState,
    file: &'n dyn FsFile,
    number: u64,
    salt: Salt,
}

impl New<'_> {
    fn write(&self, files: &mut SegmentFiles, commit_before: u64) -> Result<(), FsFault> {
        let (number, salt) = (self.number, self.salt);
        let head = SegmentHead { number, first_commit: commit_before + 1, oldest: number, salt };
        step(UNFINISHED, self.file.set_size(0).and_then(|()| self.file.write_at(0, &head.to_bytes())))?;
        let mut commit = commit_before;
        let mut offset = SEGMENT_HEAD_BYTES as u64;
        let mut jobs = self.state.lives();
        jobs.sort_unstable();
        let mut rest = &jobs[..];
        loop {
            commit += 1;
            let (record, written) = self.record(files, rest, commit)?;
            step(UNFINISHED, self.file.write_at(offset, &record))?;
            offset += record.len() as u64;
            rest = &rest[written..];
            if rest.is_empty() {
                return step(UNFINISHED, self.file.sync());
            }
        }
    }

    /// A record of the first of these jobs, and how many those are. The last record has what
    /// belongs to no job too.
    fn record(
        &self,
        files: &mut SegmentFiles,
        jobs: &[Seq],
        commit: u64,
    ) -> Result<(Vec<u8>, usize), FsFault> {
        let mut out = Vec::new();
        let at = start(&mut out);
        let mut written = 0;
        let mut full = false;
        while written < jobs.len() && !full {
            self.state.write_whole(files, &mut out, jobs[written])?;
            written += 1;
            full = out.len() >= RECORD_BYTES;
        }
        if written == jobs.len() {
            self.state.write_the_rest(&mut out);
        }
        let engine = &self.state.engine;
        let oldest = self.number;
        let last_seq = engine.last_seq();
        let time = engine.mark();
        let head =
            Head { commit, synced: SEGMENT_HEAD_BYTES as u64, oldest, last_seq, time, salt: self.salt };
        seal(&mut out, at, &head);
        Ok((out, written))
    }
}
