//! Replaying the whole journal under the lock, and creating its first segment.

use super::{
    Journal, Mark, Position, RecordSink,
    directory::{check_makeable, names},
    files::read,
};
use crate::{
    error::FsFault,
    format::{Salt, SegmentHead, SegmentHeadError, find_next, segment_name, segment_number},
    sys::FsFile,
};
use tracing::debug;

/// The number of the first segment of a store.
pub(crate) const FIRST: u64 = 1;

impl Journal {
    /// Reads the journal from the beginning, or creates the store. Only under the lock.
    pub(crate) fn replay(&mut self, sink: &mut dyn RecordSink) -> Result<(), FsFault> {
        self.check()?;
        self.files.forget_all();
        let mark = self.read_mark()?;
        let numbers = self.segment_numbers()?;
        sink.begin_at(numbers.first().copied().unwrap_or(FIRST));
        sink.begin_bulk();
        let begun = match numbers.first().zip(numbers.last()) {
            Some((&lowest, &last)) if self.begin_at(lowest, last, mark)? => {
                self.read_whole(&numbers, last, mark, sink)
            }
            _ => self.make_first(mark),
        };
        let Position { segment, offset } = self.tail;
        let whole = sink.end_bulk().map_err(|what| FsFault::corrupt(segment_name(segment), offset, what.0));
        // An error of the journal explains what the sink found in a part of it, so it comes first.
        begun.and(whole)
    }

    /// Reads on to the end of the last segment, and repairs what a crash may have left. Only under
    /// the lock.
    pub(super) fn read_whole(
        &mut self,
        numbers: &[u64],
        last: u64,
        mark: Option<Mark>,
        sink: &mut dyn RecordSink,
    ) -> Result<(), FsFault> {
        if let Some(pair) = numbers.windows(2).find(|pair| pair[0] + 1 != pair[1]) {
            return Err(missing(pair[0] + 1));
        }
        self.read_to(last, mark, sink)?;
        if self.lowest > self.oldest {
            return Err(missing(self.oldest));
        }
        self.check_end(mark)?;
        self.synced = self.synced.max(mark.map(|mark| mark.synced).unwrap_or_default());
        self.make_durable()?;
        // Names of new segments become durable before an old segment is removed.
        self.fs.sync_names().map_err(|error| self.poison(FsFault::io("the directory", error)))?;
        self.take_over(mark)?;
        self.remove_unneeded()?;
        self.files.forget_before(self.oldest);
        self.publish()
    }

    /// The numbers of the segments that are there, in order.
    pub(super) fn segment_numbers(&self) -> Result<Vec<u64>, FsFault> {
        let names = names(&*self.fs)?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| segment_number(name)).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Moves to the first record. False if the only segment is the remains of its own creation, cut
    /// short by a crash.
    pub(super) fn begin_at(&mut self, lowest: u64, last: u64, mark: Option<Mark>) -> Result<bool, FsFault> {
        let head = match self.files.head(lowest)? {
            Ok(head) => head,
            Err(SegmentHeadError::OtherLayout(layout)) => {
                return Err(FsFault::other_layout(&segment_name(lowest), layout));
            }
            Err(SegmentHeadError::Bad(what)) => {
                let is_unused =
                    lowest == FIRST && lowest == last && mark.is_none() && !self.has_records(lowest)?;
                let damage = FsFault::corrupt(segment_name(lowest), 0, what);
                return if is_unused { Ok(false) } else { Err(damage) };
            }
        };
        self.lowest = lowest;
        self.oldest = head.oldest;
        self.commit = head.first_commit.saturating_sub(1);
        (self.tail, self.salt) = (Position::start_of(lowest), head.salt);
        (self.synced, self.read_to) = (Position::default(), Position::default());
        (self.wrote_to, self.oldest_said_at) = (Position::default(), Position::default());
        Ok(true)
    }

    /// Creates a store, if one may be created here.
    fn make_first(&mut self, mark: Option<Mark>) -> Result<(), FsFault> {
        if mark.is_some() {
            return Err(FsFault::corrupt(segment_name(FIRST), 0, "every file of the journal is missing"));
        }
        check_makeable(&names(&*self.fs)?, self.create)?;
        (self.lowest, self.oldest, self.commit) = (FIRST, FIRST, 0);
        self.make_segment(FIRST)?;
        self.fs.sync_names().map_err(|error| self.poison(FsFault::io("the directory", error)))?;
        self.publish()
    }

    /// Creates a segment, replacing an unused one of that number, and moves to its first record.
    ///
    /// It is always a new file, so that a process that created the replaced one cannot write to it.
    pub(super) fn make_segment(&mut self, number: u64) -> Result<(), FsFault> {
        self.files.forget(number);
        let file = match self.files.create_segment(number) {
            Err(fault) if fault.is_taken() => {
                self.check_lock()?;
                self.remove_segment(number)?;
                self.files.create_segment(number)?
            }
            created => created?,
        };
        let salt = Salt::random(&*self.rng);
        let head = SegmentHead { number, first_commit: self.commit + 1, oldest: self.oldest, salt };
        let name = segment_name(number);
        // Head and name of the segment are durable before it takes a record: an acknowledged write
        // must not vanish with its file.
        file.write_at(0, &head.to_bytes()).map_err(|error| FsFault::io(&name, error))?;
        file.sync().map_err(|error| self.poison(FsFault::io(&name, error)))?;
        self.fs.sync_names().map_err(|error| self.poison(FsFault::io("the directory", error)))?;
        (self.tail, self.salt) = (Position::start_of(number), salt);
        self.synced = self.tail;
        debug!(segment = name, "a segment begins");
        Ok(())
    }

    /// Removes the last segment if it is the remains of its own creation, cut short by a crash.
    /// Returns whether it was.
    pub(super) fn drops_leftover(&mut self, last: u64, mark: Option<Mark>) -> Result<bool, FsFault> {
        let next = self.tail.segment + 1;
        let is_marked = mark.is_some_and(|mark| mark.visible.segment >= next || mark.synced.segment >= next);
        if next != last || is_marked || self.has_records(next)? {
            return Ok(false);
        }
        match self.files.head(next)? {
            Ok(head) if head.first_commit > self.commit => return Ok(false),
            Err(SegmentHeadError::OtherLayout(_)) => return Ok(false),
            Ok(_) | Err(SegmentHeadError::Bad(_)) => {}
        }
        self.remove_segment(next)?;
        Ok(true)
    }

    pub(super) fn has_records(&mut self, number: u64) -> Result<bool, FsFault> {
        let file = self.files.segment(number)?;
        self.files.forget(number);
        let size = size(&*file, number)?;
        let bytes = read(&*file, number, 0, size)?;
        let salt = SegmentHead::from_bytes(&bytes).ok().map(|head| head.salt);
        Ok(find_next(&bytes, 0, salt).is_some())
    }

    /// Removes free segments, the oldest first. Each removal is durable before the next, so that
    /// the rest is always the end of the journal.
    pub(super) fn remove_unneeded(&mut self) -> Result<(), FsFault> {
        while self.lowest < self.oldest {
            self.remove_segment(self.lowest)?;
            self.lowest += 1;
        }
        Ok(())
    }

    fn remove_segment(&mut self, number: u64) -> Result<(), FsFault> {
        self.files.forget(number);
        let name = segment_name(number);
        match self.fs.remove(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(FsFault::io(&name, error));
            }
            _ => {}
        }
        debug!(segment = name, "a segment is removed");
        self.fs.sync_names().map_err(|error| FsFault::io("the directory", error))
    }
}

fn size(file: &dyn FsFile, number: u64) -> Result<u64, FsFault> {
    file.size().map_err(|error| FsFault::io(&segment_name(number), error))
}

fn missing(number: u64) -> FsFault {
    FsFault::corrupt(segment_name(number), 0, "the file is missing")
}
