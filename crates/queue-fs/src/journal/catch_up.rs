use super::{
    Journal, Mark, Position, Sink,
    files::{read, read_into},
    judge::Suspect,
};
use crate::{
    error::Fault,
    format::{Found, SegmentHeadError, parse, segment_name},
    sys::FsFile,
};
use std::sync::atomic::Ordering;

/// What reading without the lock came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Everything visible was read.
    All,
    /// It takes the lock to go on.
    NeedsLock,
}

impl Journal {
    /// Reads what others made visible since, without the lock.
    pub(crate) fn catch_up_visible(&mut self, sink: &mut dyn Sink) -> Result<Seen, Fault> {
        let Some(mark) = self.read_mark()? else { return Ok(Seen::NeedsLock) };
        if self.acts_on_durable_alone() && self.synced.max(mark.synced) < mark.visible {
            return Ok(Seen::NeedsLock);
        }
        let mut buffer = Vec::new();
        while self.tail < mark.visible {
            if !self.read_visible(mark.visible, &mut buffer, sink)? {
                return Ok(Seen::NeedsLock);
            }
        }
        self.synced = self.synced.max(mark.synced);
        self.files.forget_before(self.oldest);
        self.seen.store(self.commit, Ordering::SeqCst);
        Ok(Seen::All)
    }

    /// Reads on in this segment or steps into the next; false if that is not for here.
    pub(super) fn read_visible(
        &mut self,
        visible: Position,
        buffer: &mut Vec<u8>,
        sink: &mut dyn Sink,
    ) -> Result<bool, Fault> {
        let segment = self.tail.segment;
        let file = match self.files.segment(segment) {
            Ok(file) => file,
            Err(fault) if fault.is_missing() => return Ok(false),
            Err(fault) => return Err(fault),
        };
        let is_last = segment == visible.segment;
        let size = file.size().map_err(|error| Fault::io(&segment_name(segment), error))?;
        let end = if is_last { visible.offset } else { size };
        if end > self.tail.offset {
            read_into(buffer, &*file, segment, self.tail.offset, end)?;
            if self.take_records(buffer, sink)?.is_some() || self.tail.offset != end {
                return Ok(false);
            }
        }
        Ok(is_last || self.enter_next().is_ok())
    }

    /// Reads what others wrote since, and puts in order what a crash of another may have left. Only under the lock.
    pub(crate) fn catch_up(&mut self, sink: &mut dyn Sink) -> Result<(), Fault> {
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
        sink: &mut dyn Sink,
    ) -> Result<(), Fault> {
        loop {
            self.read_segment(mark, sink)?;
            if self.tail.segment >= last || self.drops_leftover(last, mark)? {
                return Ok(());
            }
            self.enter_next()?;
        }
    }

    /// The rest of this segment, without what a crash tore.
    fn read_segment(&mut self, mark: Option<Mark>, sink: &mut dyn Sink) -> Result<(), Fault> {
        let segment = self.tail.segment;
        let file = self.files.segment(segment)?;
        let size = file.size().map_err(|error| Fault::io(&segment_name(segment), error))?;
        if size < self.tail.offset {
            return Err(Fault::corrupt(segment_name(segment), size, "the file is shorter than it was"));
        }
        if size == self.tail.offset {
            return Ok(());
        }
        let start = self.tail.offset;
        let bytes = read(&*file, segment, start, size)?;
        let Some(what) = self.take_records(&bytes, sink)? else { return Ok(()) };
        let at = usize::try_from(self.tail.offset - start).expect("within the bytes");
        self.judge(
            &*file,
            mark,
            &Suspect { bytes: &bytes, at, place: self.tail, salt: Some(self.salt), what },
        )
    }

    /// Hands over records from the tail on; answers what is wrong where they end, if anything.
    fn take_records(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> Result<Option<&'static str>, Fault> {
        let start = self.tail.offset;
        let mut at = 0;
        loop {
            let corrupt = |what| Fault::corrupt(segment_name(self.tail.segment), start + at as u64, what);
            match parse(bytes, at, Some(self.salt)) {
                Found::End => return Ok(None),
                Found::Bad(what) => return Ok(Some(what)),
                Found::OtherLayout(layout) => {
                    return Err(Fault::other_layout(&segment_name(self.tail.segment), layout));
                }
                Found::Record { head, changes, next } => {
                    if head.commit != self.commit + 1 {
                        return Err(corrupt("a record is missing in front of this one"));
                    }
                    let place = Position { offset: start + changes.start as u64, ..self.tail };
                    sink.take(&head, place, &bytes[changes]).map_err(|malformed| corrupt(malformed.0))?;
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

    /// Goes on in the next segment, which must follow on this one.
    pub(super) fn enter_next(&mut self) -> Result<(), Fault> {
        let next = self.tail.segment + 1;
        let corrupt = |what| Fault::corrupt(segment_name(next), 0, what);
        self.files.forget(next);
        match self.files.head(next)? {
            Ok(head) if head.first_commit == self.commit + 1 => {
                (self.tail, self.salt) = (Position::start_of(next), head.salt);
                Ok(())
            }
            Ok(_) => Err(corrupt("records are missing between this file and the one before")),
            Err(SegmentHeadError::Bad(what)) => Err(corrupt(what)),
            Err(SegmentHeadError::OtherLayout(layout)) => {
                Err(Fault::other_layout(&segment_name(next), layout))
            }
        }
    }

    /// What was known to be durable must be there.
    pub(super) fn check_end(&self, mark: Option<Mark>) -> Result<(), Fault> {
        let Position { segment, offset } = self.tail;
        if mark.is_some_and(|mark| mark.synced > self.tail) {
            return Err(Fault::corrupt(segment_name(segment), offset, "records at the end are missing"));
        }
        Ok(())
    }

    /// Flushes what others left unflushed, or died over. It is written once more before, since a flush that failed
    /// elsewhere may have made the system forget that it is not on the disk.
    pub(super) fn make_durable(&mut self) -> Result<(), Fault> {
        if self.synced >= self.tail {
            return Ok(());
        }
        let segment = self.tail.segment;
        let from = if self.synced.segment == segment { self.synced.offset } else { 0 };
        let file = self.files.segment(segment)?;
        let bytes = read(&*file, segment, from, self.tail.offset)?;
        let flushed = file.write_at(from, &bytes).and_then(|()| file.sync());
        flushed.map_err(|error| self.poison(Fault::io(&segment_name(segment), error)))?;
        self.synced = self.tail;
        Ok(())
    }

    /// Flushes what this handle knows of. It takes the lock if others wrote some of it; whoever calls lets go of it.
    pub(crate) fn flush(&mut self) -> Result<(), Fault> {
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

    /// Flushes what this handle wrote itself, whatever others did.
    pub(crate) fn sync_tail(&mut self) -> Result<(), Fault> {
        self.check()?;
        let file = self.files.segment(self.tail.segment)?;
        self.sync(&*file)
    }

    pub(super) fn sync(&mut self, file: &dyn FsFile) -> Result<(), Fault> {
        let name = segment_name(self.tail.segment);
        file.sync().map_err(|error| self.poison(Fault::io(&name, error)))
    }
}
