use super::{CheckReport, place::Place, salvage::Salvage, walk::OTHER_VERSION};
use crate::{
    error::Fault,
    format::{Head, SEGMENT_HEAD_BYTES, Salt, SegmentHead, seal, segment_name, start},
    journal::{Files, LOCK},
    state::State,
    sys::{FsFile, Open},
};
use queue_core::{Result, Seq, SystemRng};
use std::{io, path::Path};

/// Where the new file stands until it is whole.
const UNFINISHED: &str = "repair.tmp";
/// What damaged files are called afterwards.
const ASIDE: &str = "damaged-";
/// Jobs in one record of the new file are about this many bytes.
const RECORD_BYTES: usize = 1 << 20;

/// Saves what can be read of a damaged store: every such job goes into a new file, and the old ones are put aside under
/// other names. A sound store is left as it is. No process should have the store open meanwhile.
///
/// A job whose last changes are lost is as it was before them, so work may be done again; one whose first record is lost
/// is gone. A repair that was interrupted can be run again.
///
/// # Errors
/// Those of [`check`](super::check), and `Unsupported` if a file is of another version of this library.
pub fn repair(directory: impl AsRef<Path>) -> Result<CheckReport> {
    let place = Place::open("repair", directory.as_ref())?;
    run(&place).map_err(|fault| fault.of("repair"))
}

fn run(place: &Place) -> Result<CheckReport, Fault> {
    let Salvage { mut report, state, commit, .. } = Salvage::read(place)?;
    if report.is_sound() {
        return Ok(report);
    }
    if let Some(other) = report.damage.iter().find(|damage| damage.what == OTHER_VERSION) {
        return Err(Fault::other_version(&other.file));
    }
    let number = place.numbers.last().map_or(1, |last| last + 1);
    let file = place.fs.open(UNFINISHED, Open::OrCreate).map_err(|error| Fault::io(UNFINISHED, error))?;
    let new = New { state: &state, file: &*file, number, salt: Salt::random(&SystemRng) };
    new.write(&mut Files::new(place.fs.clone()), commit)?;
    let name = segment_name(number);
    step(&name, place.fs.rename(UNFINISHED, &name).and_then(|()| place.fs.sync_names()))?;
    for old in place.numbers.iter().map(|number| segment_name(*number)) {
        let aside = format!("{ASIDE}{old}");
        step(&old, place.fs.rename(&old, &aside).and_then(|()| place.fs.sync_names()))?;
        report.put_aside.push(aside);
    }
    // The mark was about the old files.
    step(LOCK, place.lock.set_size(0))?;
    Ok(report)
}

fn step(name: &str, outcome: io::Result<()>) -> Result<(), Fault> {
    outcome.map_err(|error| Fault::io(name, error))
}

/// The file that takes the place of all others.
struct New<'n> {
    state: &'n State,
    file: &'n dyn FsFile,
    number: u64,
    salt: Salt,
}

impl New<'_> {
    fn write(&self, files: &mut Files, commit_before: u64) -> Result<(), Fault> {
        let (number, salt) = (self.number, self.salt);
        let head = SegmentHead { number, first_commit: commit_before + 1, oldest: number, salt };
        step(UNFINISHED, self.file.set_size(0).and_then(|()| self.file.write_at(0, &head.to_bytes())))?;
        let (mut commit, mut offset) = (commit_before, SEGMENT_HEAD_BYTES as u64);
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

    /// A record of the first of these jobs, and how many those are. The last record has what belongs to no job too.
    fn record(&self, files: &mut Files, jobs: &[Seq], commit: u64) -> Result<(Vec<u8>, usize), Fault> {
        let mut out = Vec::new();
        let at = start(&mut out);
        let (mut written, mut full) = (0, false);
        while written < jobs.len() && !full {
            self.state.write_whole(files, &mut out, jobs[written])?;
            written += 1;
            full = out.len() >= RECORD_BYTES;
        }
        if written == jobs.len() {
            self.state.write_the_rest(&mut out);
        }
        let engine = &self.state.engine;
        let (oldest, last_seq, time) = (self.number, engine.last_seq(), engine.mark());
        let head =
            Head { commit, synced: SEGMENT_HEAD_BYTES as u64, oldest, last_seq, time, salt: self.salt };
        seal(&mut out, at, &head);
        Ok((out, written))
    }
}
