use super::{
    place::Place,
    report::{CheckReport, FileReport},
    walk::{OTHER_VERSION, Step, walk},
};
use crate::{
    Damage,
    error::Fault,
    format::{Head, RECORD_HEAD_BYTES, SegmentHead, SegmentHeadError, segment_name},
    journal::{Position, Sink},
    state::State,
};

/// Everything that can be read, whatever is missing between.
#[derive(Debug)]
pub(super) struct Salvage {
    pub(super) report: CheckReport,
    pub(super) state: State,
    /// The highest number of a record.
    pub(super) commit: u64,
    oldest: u64,
    /// Behind the last record.
    end: Position,
}

impl Salvage {
    pub(super) fn read(place: &Place) -> Result<Self, Fault> {
        let mut salvage = Self {
            report: CheckReport::default(),
            // Bodies are read again when they are wanted.
            state: State::new(0),
            commit: 0,
            oldest: 0,
            end: Position::default(),
        };
        // A change may be about a job whose record is lost.
        salvage.state.begin_at(u64::MAX);
        walk(place, |step| salvage.take(step))?;
        salvage.look_for_missing_files(place);
        if place.mark.is_some_and(|mark| mark.synced > salvage.end) && salvage.report.is_sound() {
            salvage.damaged(salvage.end, "records at the end are missing");
        }
        salvage.report.jobs = salvage.state.engine.jobs() as u64;
        Ok(salvage)
    }

    fn take(&mut self, step: Step<'_>) {
        match step {
            Step::File { name, bytes, head, is_leftover: false } => self.file(name, bytes, head),
            Step::Record { head, at, changes } => self.record(&head, at, changes),
            Step::File { bytes, is_leftover: true, .. } | Step::Bad { bytes, is_torn: true, .. } => {
                self.report.torn_bytes += bytes;
            }
            Step::Bad { at, what, .. } => self.damaged(at, what),
        }
    }

    fn file(&mut self, name: &str, bytes: u64, head: Result<SegmentHead, SegmentHeadError>) {
        self.report.files.push(FileReport { name: name.to_owned(), bytes, records: 0 });
        match head {
            Ok(head) => {
                self.end = Position::start_of(head.number);
                if self.commit == 0 {
                    (self.commit, self.oldest) = (head.first_commit.saturating_sub(1), head.oldest);
                }
            }
            Err(SegmentHeadError::Bad(what)) => self.damaged_file(name, what),
            Err(SegmentHeadError::OtherLayout(_)) => self.damaged_file(name, OTHER_VERSION),
        }
    }

    fn record(&mut self, head: &Head, at: Position, changes: &[u8]) {
        let expected = self.commit.saturating_add(1);
        if self.commit > 0 && head.commit != expected {
            self.report.records_lost += head.commit.saturating_sub(expected);
            self.damaged(at, "records are missing in front of this one");
        }
        let behind_head = Position { offset: at.offset + RECORD_HEAD_BYTES as u64, ..at };
        if let Err(malformed) = self.state.take(head, behind_head, changes) {
            self.damaged(at, malformed.0);
        }
        self.commit = self.commit.max(head.commit);
        self.oldest = head.oldest;
        self.end = Position { offset: behind_head.offset + changes.len() as u64, ..at };
        if let Some(file) = self.report.files.last_mut() {
            file.records += 1;
        }
    }

    fn look_for_missing_files(&mut self, place: &Place) {
        // Nothing was ever written: a crash ended the making of the store.
        if self.report.files.is_empty() {
            return;
        }
        let first = place.numbers.first().copied().unwrap_or_default();
        let between = place.numbers.windows(2).flat_map(|pair| pair[0] + 1..pair[1]);
        for number in (self.oldest..first).chain(between) {
            self.damaged_file(&segment_name(number), "the file is missing");
        }
    }

    fn damaged(&mut self, at: Position, what: &'static str) {
        self.report.damage.push(Damage { file: segment_name(at.segment), offset: at.offset, what });
    }

    fn damaged_file(&mut self, name: &str, what: &'static str) {
        self.report.damage.push(Damage { file: name.to_owned(), offset: 0, what });
    }
}
