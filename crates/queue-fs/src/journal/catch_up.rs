//! Reading the records that other handles appended since the last read.

use super::{
    Journal, Mark, Position, RecordSink,
    files::{read, read_into},
    judge::Suspect,
};
use crate::{
    error::FsFault,
    format::{ParsedRecord, SegmentHeadError, parse, segment_name},
    sys::FsFile,
};
use std::sync::atomic::Ordering;

/// The outcome of reading without the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VisibleRead {
    /// Everything visible was read.
    All,
    /// Reading on needs the lock.
    NeedsLock,
}

impl Journal {
    /// Reads newly visible records of other handles, without the lock.
    pub(crate) fn catch_up_visible(&mut self, sink: &mut dyn RecordSink) -> Result<VisibleRead, FsFault> {
        let Some(mark) = self.read_mark()? else { return Ok(VisibleRead::NeedsLock) };
        if self.acts_on_durable_alone() && self.synced.max(mark.synced) < mark.visible {
            return Ok(VisibleRead::NeedsLock);
        }
        let mut buffer = Vec::new();
        while self.tail < mark.visible {
            if !self.read_visible(mark.visible, &mut buffer, sink)? {
                return Ok(VisibleRead::NeedsLock);
            }
        }
        self.synced = self.synced.max(mark.synced);
        self.files.forget_before(self.oldest);
        self.seen.store(self.commit, Ordering::SeqCst);
        Ok(VisibleRead::All)
    }

    /// Reads on in this segment or steps into the next. False if this needs the lock.
    pub(super) fn read_visible(
        &mut self,
        visible: Position,
        buffer: &mut Vec<u8>,
        sink: &mut dyn RecordSink,
    ) -> Result<bool, FsFault> {
        let segment = self.tail.segment;
        let file = match self.files.segment(segment) {
            Ok(file) => file,
            // Compaction removed the segment, so this handle fell behind and has to read from the
            // start.
            Err(fault) if fault.is_missing() => return Ok(false),
            Err(fault) => return Err(fault),
        };
        let is_last = segment == visible.segment;
        let size = file.size().map_err(|error| FsFault::io(&segment_name(segment), error))?;
        let end = if is_last { visible.offset } else { size };
        if end > self.tail.offset {
            read_into(buffer, &*file, segment, self.tail.offset, end)?;
            // Without the lock, what looks damaged may be a write in progress (ADR 0026).
            if self.replay_records(buffer, sink)?.is_some() || self.tail.offset != end {
                return Ok(false);
            }
        }
        Ok(is_last || self.enter_next().is_ok())
    }

    /// Reads what others wrote since, and repairs what a crash of another process may have left.
    /// Only under the lock.
    pub(crate) fn catch_up(&mut self, sink: &mut dyn RecordSink) -> Result<(), FsFault> {
        self.check()?;
        let mark = self.read_mark()?;
        let last = match mark {
            Some(mark) => mark.visible.segment.max(self.tail.segment),
            None => self.segment_numbers()?.last().copied().unwrap_or(self.tail.segment),
        };
        self.read_to(last, mark, sink)?;
        self.check_end(mark)?;
        self.synced = self.synced.max(mark.map(|mark| mark.synced).unwrap_or_default());
        if self.acts_on_durable_alone() {
            self.make_durable()?;
        }
        // A process that died before it moved the mark left whole records, which are published
        // here.
        if mark.is_none_or(|mark| mark.commit != self.commit || mark.visible != self.tail) {
            self.publish()?;
        }
        self.files.forget_before(self.oldest);
        self.seen.store(self.commit, Ordering::SeqCst);
        Ok(())
    }

    /// Reads on up to the end of this segment.
    pub(super) fn read_to(
        &mut self,
        last: u64,
        mark: Option<Mark>,
        sink: &mut dyn RecordSink,
    ) -> Result<(), FsFault> {
        loop {
            self.read_segment(mark, sink)?;
            if self.tail.segment >= last || self.drops_leftover(last, mark)? {
                return Ok(());
            }
            self.enter_next()?;
        }
    }

    /// The rest of this segment, without what a crash tore.
    fn read_segment(&mut self, mark: Option<Mark>, sink: &mut dyn RecordSink) -> Result<(), FsFault> {
        let segment = self.tail.segment;
        let file = self.files.segment(segment)?;
        let size = file.size().map_err(|error| FsFault::io(&segment_name(segment), error))?;
        if size < self.tail.offset {
            return Err(FsFault::corrupt(segment_name(segment), size, "the file is shorter than it was"));
        }
        if size == self.tail.offset {
            return Ok(());
        }
        let start = self.tail.offset;
        let bytes = read(&*file, segment, start, size)?;
        let Some(what) = self.replay_records(&bytes, sink)? else { return Ok(()) };
        let at = usize::try_from(self.tail.offset - start).expect("within the bytes");
        self.judge(
            &*file,
            mark,
            &Suspect { bytes: &bytes, at, place: self.tail, salt: Some(self.salt), what },
        )
    }

    /// Passes records from the tail on to the sink. Returns what is wrong at their end, if
    /// anything.
    fn replay_records(
        &mut self,
        bytes: &[u8],
        sink: &mut dyn RecordSink,
    ) -> Result<Option<&'static str>, FsFault> {
        let start = self.tail.offset;
        let mut at = 0;
        loop {
            let corrupt = |what| FsFault::corrupt(segment_name(self.tail.segment), start + at as u64, what);
            match parse(bytes, at, Some(self.salt)) {
                ParsedRecord::End => return Ok(None),
                ParsedRecord::Bad(what) => return Ok(Some(what)),
                ParsedRecord::OtherLayout(layout) => {
                    return Err(FsFault::other_layout(&segment_name(self.tail.segment), layout));
                }
                ParsedRecord::Record { head, changes, next } => {
                    if head.commit != self.commit + 1 {
                        return Err(corrupt("a record is missing in front of this one"));
                    }
                    let place = Position { offset: start + changes.start as u64, ..self.tail };
                    sink.replay(&head, place, &bytes[changes]).map_err(|malformed| corrupt(malformed.0))?;
                    at = next;
                    self.tail.offset = start + next as u64;
                    self.commit = head.commit;
                    self.read_to = self.tail;
                    if head.oldest > self.oldest {
                        (self.oldest, self.oldest_said_at) = (head.oldest, self.tail);
                    }
                }
            }
        }
    }

    /// Moves to the next segment, whose records must continue the records of this one.
    pub(super) fn enter_next(&mut self) -> Result<(), FsFault> {
        let next = self.tail.segment + 1;
        let corrupt = |what| FsFault::corrupt(segment_name(next), 0, what);
        self.files.forget(next);
        match self.files.head(next)? {
            Ok(head) if head.first_commit == self.commit + 1 => {
                (self.tail, self.salt) = (Position::start_of(next), head.salt);
                Ok(())
            }
            Ok(_) => Err(corrupt("records are missing between this file and the one before")),
            Err(SegmentHeadError::Bad(what)) => Err(corrupt(what)),
            Err(SegmentHeadError::OtherLayout(layout)) => {
                Err(FsFault::other_layout(&segment_name(next), layout))
            }
        }
    }

    /// Fails if records are missing that were durable by the mark.
    pub(super) fn check_end(&self, mark: Option<Mark>) -> Result<(), FsFault> {
        let Position { segment, offset } = self.tail;
        if mark.is_some_and(|mark| mark.synced > self.tail) {
            return Err(FsFault::corrupt(segment_name(segment), offset, "records at the end are missing"));
        }
        Ok(())
    }

    /// Flushes records that other handles left unflushed, or crashed before flushing. The records
    /// are written once more before that: after a failed flush elsewhere the system may take their
    /// pages for written.
    pub(super) fn make_durable(&mut self) -> Result<(), FsFault> {
        if self.synced >= self.tail {
            return Ok(());
        }
        let segment = self.tail.segment;
        let from = if self.synced.segment == segment { self.synced.offset } else { 0 };
        let file = self.files.segment(segment)?;
        let bytes = read(&*file, segment, from, self.tail.offset)?;
        let flushed = file.write_at(from, &bytes).and_then(|()| file.sync());
        flushed.map_err(|error| self.poison(FsFault::io(&segment_name(segment), error)))?;
        self.synced = self.tail;
        Ok(())
    }

    /// Flushes all records that this handle knows. It takes the lock if other handles wrote some of
    /// them; the caller releases it.
    pub(crate) fn flush(&mut self) -> Result<(), FsFault> {
        self.check()?;
        if self.synced < self.read_to {
            if !self.is_locked {
                self.lock()?;
            }
            return self.make_durable();
        }
        if self.synced < self.tail {
            self.sync_tail()?;
            self.synced = self.tail;
        }
        Ok(())
    }

    /// Flushes the records that this handle wrote itself.
    pub(crate) fn sync_tail(&mut self) -> Result<(), FsFault> {
        self.check()?;
        let file = self.files.segment(self.tail.segment)?;
        self.sync(&*file)
    }

    pub(super) fn sync(&mut self, file: &dyn FsFile) -> Result<(), FsFault> {
        let name = segment_name(self.tail.segment);
        file.sync().map_err(|error| self.poison(FsFault::io(&name, error)))
    }
}
