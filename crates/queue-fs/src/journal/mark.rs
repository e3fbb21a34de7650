//! The mark in the lock file: how far the journal is visible and durable.

use super::position::Position;
use crate::sys::FsFile;
use std::io;

const MARK_BYTES: usize = 64;
const MAGIC: [u8; 8] = *b"QFS-MARK";

/// What the processes of one host share through the lock file: how far the journal may be read
/// without the lock, and how far it is durable.
///
/// The mark is written under the lock and never flushed, since it describes the running system.
/// After a power cut it may be old, or torn, which the checksum detects; it is never ahead, since
/// it is written after the flush that it describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// All handles may act on records up to here.
    pub(crate) visible: Position,
    /// Up to here the journal is durable.
    pub(crate) synced: Position,
    /// The number of the last visible record.
    pub(crate) commit: u64,
}

impl Mark {
    /// Reads the mark. `None` if there is none yet, or it was being written.
    pub(crate) fn read(file: &dyn FsFile) -> io::Result<Option<Self>> {
        let mut bytes = [0; MARK_BYTES];
        let read = file.read_at(0, &mut bytes)?;
        Ok((read == MARK_BYTES).then(|| Self::from_bytes(&bytes)).flatten())
    }

    pub(crate) fn write(self, file: &dyn FsFile) -> io::Result<()> {
        file.write_at(0, &self.to_bytes())
    }

    fn to_bytes(self) -> [u8; MARK_BYTES] {
        let mut bytes = [0; MARK_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        let Self { visible, synced, commit } = self;
        let numbers = [visible.segment, visible.offset, synced.segment, synced.offset, commit];
        for (n, number) in numbers.into_iter().enumerate() {
            bytes[16 + 8 * n..24 + 8 * n].copy_from_slice(&number.to_le_bytes());
        }
        let checksum = crc32c::crc32c(&bytes[16..]);
        bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; MARK_BYTES]) -> Option<Self> {
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let is_whole = bytes[..8] == MAGIC && number(8) == u64::from(crc32c::crc32c(&bytes[16..]));
        let position = |at| Position { segment: number(at), offset: number(at + 8) };
        is_whole.then(|| Self { visible: position(16), synced: position(32), commit: number(48) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_as_it_was_written_and_every_flipped_bit_is_noticed() {
        let mark = Mark {
            visible: Position { segment: 3, offset: 400 },
            synced: Position { segment: 3, offset: 300 },
            commit: 9,
        };
        let good = mark.to_bytes();
        assert_eq!(Mark::from_bytes(&good), Some(mark));
        for at in 0..MARK_BYTES {
            for bit in 0..8 {
                let mut bad = good;
                bad[at] ^= 1 << bit;
                assert_eq!(Mark::from_bytes(&bad), None, "bit {bit} of byte {at}");
            }
        }
    }
}
