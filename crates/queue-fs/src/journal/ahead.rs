use super::{Journal, Mark, Position, Sink};
use crate::error::Fault;

/// So much may be left for under the lock, where every writer waits for it.
const REST_BYTES_MAX: u64 = 128 << 10;
/// Rounds of reading what was written during the round before. Each is shorter, as long as reading is faster than writing.
const ROUNDS_MAX: usize = 16;

/// What reading ahead of the lock came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// The sink has the journal up to the tail; [`Journal::read_rest`] reads what is behind it.
    Read,
    /// Writers gave up files faster than they were read. Another try begins with later ones.
    Overtaken,
    /// Everything is to be read under the lock: nobody has the store open, or something is wrong. What it is shall be told
    /// by a reader that nobody can have disturbed.
    NeedsLock,
}

impl Journal {
    /// Reads the journal from the beginning while others go on writing, up to where it is durable: nothing in front of that
    /// place ever changes, it can only be removed. It takes the lock for a moment and lets go of it.
    pub(crate) fn read_ahead(&mut self, sink: &mut dyn Sink) -> Result<Ahead, Fault> {
        self.check()?;
        self.files.forget_all();
        // Under the lock, since a mark that somebody is writing may read as none.
        self.lock()?;
        let seen = self.read_mark().and_then(|mark| Ok((mark, self.segment_numbers()?)));
        self.unlock();
        let (Some(mark), numbers) = seen? else { return Ok(Ahead::NeedsLock) };
        let Some((&lowest, &last)) = numbers.first().zip(numbers.last()) else { return Ok(Ahead::NeedsLock) };
        sink.begin_at(lowest);
        sink.begin_bulk();
        let is_read = matches!(self.begin_at(lowest, last, Some(mark)), Ok(true))
            && matches!(self.read_durable(mark, sink), Ok(true));
        if sink.end_bulk().is_ok() && is_read {
            return Ok(Ahead::Read);
        }
        let is_overtaken = self.segment_numbers()?.first().is_some_and(|first| *first > lowest);
        Ok(if is_overtaken { Ahead::Overtaken } else { Ahead::NeedsLock })
    }

    /// Reads on until little is left that is durable; false if that is not for here.
    fn read_durable(&mut self, mut mark: Mark, sink: &mut dyn Sink) -> Result<bool, Fault> {
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

    /// How far it is from the tail, about.
    fn bytes_to(&self, to: Position) -> u64 {
        let segments = to.segment.saturating_sub(self.tail.segment);
        (segments.saturating_mul(self.segment_bytes) + to.offset).saturating_sub(self.tail.offset)
    }

    /// Reads what is behind the part that was read ahead, and puts in order what a crash may have left. Only under the lock.
    /// False if the file that was to be read on is gone: then everything is to be read again.
    pub(crate) fn read_rest(&mut self, sink: &mut dyn Sink) -> Result<bool, Fault> {
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
