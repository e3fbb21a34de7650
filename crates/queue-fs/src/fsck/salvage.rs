//! Collecting the readable records of a damaged store.

use super::{
    locked_store::LockedStore,
    report::{CheckReport, FileReport},
    walk::{OTHER_VERSION, WalkEvent, walk},
};
use crate::{
    Damage,
    error::FsFault,
    format::{Head, RECORD_HEAD_BYTES, SegmentHead, SegmentHeadError, segment_name},
    journal::{OTHER_NAME, Position, RecordSink},
    state::FsState,
};
use std::collections::BTreeSet;

/// How many missing files are reported by name.
const MISSING_MAX: usize = 100;

/// Everything that can be read of a store that does not open, across gaps.
///
/// Records are replayed in the order of their own numbers and not of the names of their files, and
/// none after a later one: a job must not return to an earlier state.
#[derive(Debug)]
pub(super) struct Salvage {
    pub(super) report: CheckReport,
    pub(super) state: FsState,
    /// The highest number of a record.
    pub(super) commit: u64,
    /// The highest number that any file has, by its name or by its own words.
    pub(super) last_segment: u64,
    /// Segments below this one are free: their jobs were relocated or removed.
    oldest: u64,
    /// The segments that were met, by their own words.
    met: BTreeSet<u64>,
    /// The file at hand is needed.
    is_needed: bool,
    /// The record before this one was left out.
    is_leaving_out: bool,
}

impl Salvage {
    pub(super) fn read(place: &LockedStore) -> Result<Self, FsFault> {
        let mut salvage = Self {
            report: CheckReport::default(),
            // Bodies are read again when they are wanted.
            state: FsState::new(0),
            commit: 0,
            last_segment: place.numbers.last().copied().unwrap_or_default(),
            oldest: oldest(place)?,
            met: BTreeSet::new(),
            is_needed: true,
            is_leaving_out: false,
        };
        // A change may be about a job whose record is lost.
        salvage.state.begin_at(u64::MAX);
        walk(place, |step| salvage.take(step))?;
        salvage.look_for_missing_files();
        salvage.report.jobs = salvage.state.engine.jobs() as u64;
        Ok(salvage)
    }

    fn take(&mut self, step: WalkEvent<'_>) {
        match step {
            WalkEvent::File { number, bytes, head, is_leftover: false } => self.file(number, bytes, head),
            WalkEvent::Record { head, at, changes } if self.is_needed => self.record(&head, at, changes),
            WalkEvent::Record { .. } => {}
            WalkEvent::File { bytes, is_leftover: true, .. }
            | WalkEvent::Bad { bytes, is_torn: true, .. } => {
                self.report.torn_bytes += bytes;
            }
            WalkEvent::Bad { at, what, .. } => self.damaged(at, what),
        }
    }

    fn file(&mut self, number: u64, bytes: u64, head: Result<SegmentHead, SegmentHeadError>) {
        let name = segment_name(number);
        let own = head.map_or(number, |head| head.number);
        self.is_needed = own >= self.oldest;
        self.met.insert(own);
        self.last_segment = self.last_segment.max(own);
        if let Ok(head) = head
            && self.commit == 0
        {
            self.commit = head.first_commit.saturating_sub(1);
        }
        match head {
            Ok(_) if own == number => {}
            Ok(_) => self.damaged_file(&name, OTHER_NAME),
            Err(SegmentHeadError::Bad(what)) => self.damaged_file(&name, what),
            Err(SegmentHeadError::OtherLayout(_)) => self.damaged_file(&name, OTHER_VERSION),
        }
        self.report.files.push(FileReport { name, bytes, records: 0 });
    }

    fn record(&mut self, head: &Head, at: Position, changes: &[u8]) {
        if self.leaves_out(head, at) {
            return;
        }
        let expected = self.commit.saturating_add(1);
        if self.commit > 0 && head.commit != expected {
            self.report.records_lost += head.commit.saturating_sub(expected);
            self.damaged(at, "records are missing in front of this one");
        }
        let behind_head = Position { offset: at.offset + RECORD_HEAD_BYTES as u64, ..at };
        if let Err(malformed) = self.state.replay(head, behind_head, changes) {
            self.damaged(at, malformed.0);
        }
        self.commit = head.commit;
        if let Some(file) = self.report.files.last_mut() {
            file.records += 1;
        }
    }

    /// A record that is no later than the last one replayed is in a copy of a file, or in an old
    /// file.
    fn leaves_out(&mut self, head: &Head, at: Position) -> bool {
        let leaves_out = head.commit <= self.commit;
        if leaves_out && !self.is_leaving_out {
            self.damaged(at, "records that stand in front of this one, or in another file, are here again");
        }
        self.is_leaving_out = leaves_out;
        leaves_out
    }

    fn look_for_missing_files(&mut self) {
        let Some(last) = self.met.last().copied() else { return };
        let first = self.met.first().copied().unwrap_or(last).min(self.oldest.max(1));
        let missing = (first..last).filter(|number| !self.met.contains(number)).take(MISSING_MAX);
        for number in missing.collect::<Vec<_>>() {
            self.damaged_file(&segment_name(number), "the file is missing");
        }
    }

    fn damaged(&mut self, at: Position, what: &'static str) {
        self.report.add_damage(&Damage { file: segment_name(at.segment), offset: at.offset, what });
    }

    fn damaged_file(&mut self, name: &str, what: &'static str) {
        self.report.add_damage(&Damage { file: name.to_owned(), offset: 0, what });
    }
}

/// The highest number of an oldest segment that anything says.
fn oldest(place: &LockedStore) -> Result<u64, FsFault> {
    let mut oldest = 0;
    walk(place, |step| match step {
        WalkEvent::File { head: Ok(head), .. } => oldest = oldest.max(head.oldest),
        WalkEvent::Record { head, .. } => oldest = oldest.max(head.oldest),
        WalkEvent::File { .. } | WalkEvent::Bad { .. } => {}
    })?;
    Ok(oldest)
}
