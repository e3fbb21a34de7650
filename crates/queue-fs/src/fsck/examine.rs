//! Whether a store opens, and if not, what can be read of it.

use super::{
    dry_fs::DryFs,
    locked_store::LockedStore,
    report::{CheckReport, FileReport},
    salvage::Salvage,
    walk::OTHER_VERSION,
};
use crate::{
    error::FsFault,
    format::{Head, Malformed, segment_name},
    journal::{Journal, Position, RecordSink},
    options::{Create, FsOptions},
    state::FsState,
    sys::{Fs, Open},
};
use std::{collections::BTreeMap, io, sync::Arc};

/// What is in the files of a store.
#[derive(Debug)]
pub(super) enum Finding {
    /// The store opens.
    Sound(CheckReport),
    /// It does not; this can be read of it.
    Damaged(Box<Salvage>),
}

/// Opens the store on a view of its directory where no change is made. So there is no second
/// opinion on what is sound, which the first could differ from. The files are read past their
/// damage only where that fails.
pub(super) fn examine(place: &LockedStore) -> Result<Finding, FsFault> {
    let fault = match open_dry(place) {
        Ok(report) => return Ok(Finding::Sound(report)),
        Err(fault) => fault,
    };
    let mut salvage = Box::new(Salvage::read(place)?);
    let has_other_version = salvage.report.damage.iter().any(|damage| damage.what == OTHER_VERSION);
    match fault.damage() {
        Some(damage) => salvage.report.add_damage(damage),
        None if fault.is_other_version() && has_other_version => {}
        // The disk, or the rights to the files.
        None => return Err(fault),
    }
    Ok(Finding::Damaged(salvage))
}

fn open_dry(place: &LockedStore) -> Result<CheckReport, FsFault> {
    let fs: Arc<dyn Fs> = Arc::new(DryFs::new(place.fs.clone()));
    // A crash may have ended the making of the store, so it is not `Never`.
    let options = FsOptions::new("").create(Create::IfMissing);
    let mut journal = Journal::open(fs.clone(), &options, Arc::default())?;
    let mut counted = CountingSink { state: FsState::new(0), records: BTreeMap::new() };
    journal.lock()?;
    journal.replay(&mut counted)?;
    journal.open_reserve()?;
    let mut report = CheckReport { jobs: counted.state.engine.jobs() as u64, ..CheckReport::default() };
    for number in &place.numbers {
        let name = segment_name(*number);
        let bytes = size(&*place.fs, &name)?.unwrap_or_default();
        let is_leftover = *number > journal.tail().segment;
        let kept = size(&*fs, &name)?.unwrap_or(if is_leftover { 0 } else { bytes });
        report.torn_bytes += bytes.saturating_sub(kept);
        if !is_leftover {
            let records = counted.records.get(number).copied().unwrap_or_default();
            report.files.push(FileReport { name, bytes, records });
        }
    }
    Ok(report)
}

fn size(fs: &dyn Fs, name: &str) -> Result<Option<u64>, FsFault> {
    match fs.open(name, Open::Existing).and_then(|file| file.size()) {
        Ok(size) => Ok(Some(size)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FsFault::io(name, error)),
    }
}

/// What a journal adds up to, and how many records each file has.
struct CountingSink {
    state: FsState,
    records: BTreeMap<u64, u64>,
}

impl RecordSink for CountingSink {
    fn begin_at(&mut self, segment: u64) {
        self.records.clear();
        self.state.begin_at(segment);
    }

    fn replay(&mut self, head: &Head, at: Position, changes: &[u8]) -> Result<(), Malformed> {
        *self.records.entry(at.segment).or_default() += 1;
        self.state.replay(head, at, changes)
    }

    fn begin_bulk(&mut self) {
        self.state.begin_bulk();
    }

    fn end_bulk(&mut self) -> Result<(), Malformed> {
        self.state.end_bulk()
    }
}
