//! Reads numbers and short texts off the front of bytes.

use crate::row::time;
use queue_core::Timestamp;

/// Takes big-endian numbers and short texts off the front of bytes; `None` where they end too
/// early.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes were taken.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        self.at = self.bytes.len();
        rest
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        Some(self.number(1)? as u8)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        Some(self.number(2)? as u16)
    }

    pub(crate) fn three(&mut self) -> Option<usize> {
        Some(self.number(3)? as usize)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        Some(self.number(4)? as u32)
    }

    pub(crate) fn six(&mut self) -> Option<u64> {
        self.number(6)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.number(8)
    }

    pub(crate) fn time(&mut self) -> Option<Timestamp> {
        self.six().map(time)
    }

    /// UTF-8 behind a byte that says how long it is.
    pub(crate) fn short_text(&mut self) -> Option<&'a str> {
        let length = usize::from(self.u8()?);
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn number(&mut self, length: usize) -> Option<u64> {
        Some(self.take(length)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}
