use super::{
    Journal, Mark, Position, Sink,
    files::read,
    place::{check_makeable, names},
};
use crate::{
    error::Fault,
    format::{Salt, SegmentHead, SegmentHeadError, find_next, segment_name, segment_number},
    sys::FsFile,
};
use tracing::debug;

/// The number of the first segment of a store.
pub(crate) const FIRST: u64 = 1;

impl Journal {
    /// Reads everything from the beginning, and makes the store if there is none. Only under the lock.
    pub(crate) fn replay(&mut self, sink: &mut dyn Sink) -> Result<(), Fault> {
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
        let whole = sink.end_bulk().map_err(|what| Fault::corrupt(segment_name(segment), offset, what.0));
        begun.and(whole)
    }

    /// Reads on to the end of the last segment, and puts in order what a crash may have left. Only under the lock.
    pub(super) fn read_whole(
        &mut self,
        numbers: &[u64],
        last: u64,
        mark: Option<Mark>,
        sink: &mut dyn Sink,
    ) -> Result<(), Fault> {
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
        self.fs.sync_names().map_err(|error| self.poison(Fault::io("the directory", error)))?;
        self.take_over(mark)?;
        self.remove_unneeded()?;
        self.files.forget_before(self.oldest);
        self.publish()
    }

    /// The numbers of the segments that are there, in order.
    pub(super) fn segment_numbers(&self) -> Result<Vec<u64>, Fault> {
        let names = names(&*self.fs)?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| segment_number(name)).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Stands in front of the first record; false if this is what a crash left of making the first segment.
    pub(super) fn begin_at(&mut self, lowest: u64, last: u64, mark: Option<Mark>) -> Result<bool, Fault> {
        let head = match self.files.head(lowest)? {
            Ok(head) => head,
            Err(SegmentHeadError::OtherLayout(layout)) => {
                return Err(Fault::other_layout(&segment_name(lowest), layout));
            }
            Err(SegmentHeadError::Bad(what)) => {
                let is_unused =
                    lowest == FIRST && lowest == last && mark.is_none() && !self.has_records(lowest)?;
                let damage = Fault::corrupt(segment_name(lowest), 0, what);
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

    /// A new store, if one may be made here.
    fn make_first(&mut self, mark: Option<Mark>) -> Result<(), Fault> {
        if mark.is_some() {
            return Err(Fault::corrupt(segment_name(FIRST), 0, "every file of the journal is missing"));
        }
        check_makeable(&names(&*self.fs)?, self.create)?;
        (self.lowest, self.oldest, self.commit) = (FIRST, FIRST, 0);
        self.make_segment(FIRST)?;
        self.fs.sync_names().map_err(|error| self.poison(Fault::io("the directory", error)))?;
        self.publish()
    }

    /// Makes a segment, in place of one that nobody has used, and stands in front of its first record.
    ///
    /// It is always another file than was there, so that nobody who made that one writes to this.
    pub(super) fn make_segment(&mut self, number: u64) -> Result<(), Fault> {
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
        file.write_at(0, &head.to_bytes()).map_err(|error| Fault::io(&name, error))?;
        file.sync().map_err(|error| self.poison(Fault::io(&name, error)))?;
        self.fs.sync_names().map_err(|error| self.poison(Fault::io("the directory", error)))?;
        (self.tail, self.salt) = (Position::start_of(number), salt);
        self.synced = self.tail;
        debug!(segment = name, "a segment begins");
        Ok(())
    }

    /// The last segment may be what a crash left of making it: then nobody has used it, and it goes.
    pub(super) fn drops_leftover(&mut self, last: u64, mark: Option<Mark>) -> Result<bool, Fault> {
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

    pub(super) fn has_records(&mut self, number: u64) -> Result<bool, Fault> {
        let file = self.files.segment(number)?;
        self.files.forget(number);
        let size = size(&*file, number)?;
        let bytes = read(&*file, number, 0, size)?;
        let salt = SegmentHead::from_bytes(&bytes).ok().map(|head| head.salt);
        Ok(find_next(&bytes, 0, salt).is_some())
    }

    /// Removes the segments that nobody needs, the oldest first: each removal is durable before the next, so that what is
    /// left is always the end of the journal.
    pub(super) fn remove_unneeded(&mut self) -> Result<(), Fault> {
        while self.lowest < self.oldest {
            self.remove_segment(self.lowest)?;
            self.lowest += 1;
        }
        Ok(())
    }

    fn remove_segment(&mut self, number: u64) -> Result<(), Fault> {
        self.files.forget(number);
        let name = segment_name(number);
        match self.fs.remove(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Fault::io(&name, error));
            }
            _ => {}
        }
        debug!(segment = name, "a segment is removed");
        self.fs.sync_names().map_err(|error| Fault::io("the directory", error))
    }
}

fn size(file: &dyn FsFile, number: u64) -> Result<u64, Fault> {
    file.size().map_err(|error| Fault::io(&segment_name(number), error))
}

fn missing(number: u64) -> Fault {
    Fault::corrupt(segment_name(number), 0, "the file is missing")
}
