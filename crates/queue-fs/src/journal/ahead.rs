//! Reading most of the journal before taking the lock, so that opening a store does not block
//! writers.

use super::{Journal, Mark, Position, RecordSink};
use crate::error::FsFault;

/// How many bytes may be left to read under the lock, where every writer waits.
const REST_BYTES_MAX: u64 = 128 << 10;
/// How many rounds read what was written during the round before. Rounds get shorter if reading is
/// faster than writing.
const ROUNDS_MAX: usize = 16;

/// The outcome of reading ahead of the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadAhead {
    /// The sink has the journal up to the tail; [`Journal::read_rest`] reads the remainder.
    Read,
    /// Writers removed segments faster than they were read. Another try begins with later ones.
    Overtaken,
    /// The journal must be read under the lock: no process has the store open, or something is
    /// wrong. Only a reader that no writer can disturb may report what it is.
    NeedsLock,
}

impl Journal {
    /// Reads the journal from the beginning up to where it is durable, while other processes write.
    /// Durable records never change, they can only be removed. The lock is held for a moment only.
    pub(crate) fn read_ahead(&mut self, sink: &mut dyn RecordSink) -> Result<ReadAhead, FsFault> {
        self.check()?;
        self.files.forget_all();
        // The lock is needed, since a mark reads as absent while a writer writes it.
        self.lock()?;
        let seen = self.read_mark().and_then(|mark| Ok((mark, self.segment_numbers()?)));
        self.unlock();
        let (Some(mark), numbers) = seen? else { return Ok(ReadAhead::NeedsLock) };
        let Some((&lowest, &last)) = numbers.first().zip(numbers.last()) else {
            return Ok(ReadAhead::NeedsLock);
        };
        sink.begin_at(lowest);
        sink.begin_bulk();
        let is_read = matches!(self.begin_at(lowest, last, Some(mark)), Ok(true))
            && matches!(self.read_durable(mark, sink), Ok(true));
        if sink.end_bulk().is_ok() && is_read {
            return Ok(ReadAhead::Read);
        }
        let is_overtaken = self.segment_numbers()?.first().is_some_and(|first| *first > lowest);
        Ok(if is_overtaken { ReadAhead::Overtaken } else { ReadAhead::NeedsLock })
    }

    /// Reads on until few durable bytes are left. False if this needs the lock.
    fn read_durable(&mut self, mut mark: Mark, sink: &mut dyn RecordSink) -> Result<bool, FsFault> {
        let mut buffer = Vec::new();
        for _ in 0..ROUNDS_MAX {
            while self.tail < mark.synced {
                if !self.read_visible(mark.synced, &mut buffer, sink)? {
                    return Ok(false);
                }
            }
            mark = self.read_mark()?.unwrap_or(mark);
            if self.bytes_to(mark.synced) <= REST_BYTES_MAX {
                break;
            }
        }
        Ok(true)
    }

    /// The distance from the tail in bytes, approximately.
    fn bytes_to(&self, to: Position) -> u64 {
        let segments = to.segment.saturating_sub(self.tail.segment);
        (segments.saturating_mul(self.segment_bytes) + to.offset).saturating_sub(self.tail.offset)
    }

    /// Reads the records after those read ahead, and repairs what a crash may have left. Only under
    /// the lock. False if the segment to read on in was removed: then the journal must be read
    /// again.
    pub(crate) fn read_rest(&mut self, sink: &mut dyn RecordSink) -> Result<bool, FsFault> {
        let mark = self.read_mark()?;
        let numbers = self.segment_numbers()?;
        let Some((&lowest, &last)) = numbers.first().zip(numbers.last()) else { return Ok(false) };
        if !numbers.contains(&self.tail.segment) {
            return Ok(false);
        }
        self.lowest = lowest;
        self.read_whole(&numbers, last, mark, sink)?;
        Ok(true)
    }
}
