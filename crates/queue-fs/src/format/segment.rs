//! The head of a segment file.

use super::{Salt, VERSION};

/// The length of a segment's head, in bytes.
pub(crate) const SEGMENT_HEAD_BYTES: usize = 56;
/// The length of the part that is the same in every layout and has a checksum of its own, so that
/// each version recognizes the others.
const COMMON_BYTES: usize = 40;
const MAGIC: [u8; 8] = *b"QUEUE-FS";
const PREFIX: &str = "journal-";
const SUFFIX: &str = ".log";
/// Digits of a number in a file name, in hexadecimal.
const DIGITS: usize = 16;

/// The head of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentHead {
    /// The number in its name.
    pub(crate) number: u64,
    /// The number of its first record. Everything before that was durable when the segment was
    /// made.
    pub(crate) first_commit: u64,
    /// Segments below this number were not needed any more.
    pub(crate) oldest: u64,
    /// What its records repeat.
    pub(crate) salt: Salt,
}

/// Why the head of a segment cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentHeadError {
    Bad(&'static str),
    /// It is of another layout than this version reads.
    OtherLayout(u16),
}

/// The file that a segment lives in.
pub(crate) fn segment_name(number: u64) -> String {
    format!("{PREFIX}{number:0DIGITS$x}{SUFFIX}")
}

/// The segment that lives in a file, if it is one's name.
pub(crate) fn segment_number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let number = u64::from_str_radix(digits, 16).ok()?;
    (digits.len() == DIGITS && digits.chars().all(is_digit)).then_some(number)
}

impl SegmentHead {
    pub(crate) fn to_bytes(self) -> [u8; SEGMENT_HEAD_BYTES] {
        let mut bytes = [0; SEGMENT_HEAD_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[12..14].copy_from_slice(&VERSION.to_le_bytes());
        for (n, number) in [self.number, self.first_commit, self.oldest].into_iter().enumerate() {
            bytes[16 + 8 * n..24 + 8 * n].copy_from_slice(&number.to_le_bytes());
        }
        let checksum = crc32c::crc32c(&bytes[12..COMMON_BYTES]);
        bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.salt.as_raw().to_le_bytes());
        let checksum = u64::from(crc32c::crc32c(&bytes[40..48]));
        bytes[48..56].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, SegmentHeadError> {
        let bad = SegmentHeadError::Bad;
        let common = bytes.get(..COMMON_BYTES).ok_or(bad("the head of the file is cut off"))?;
        if common[..8] != MAGIC {
            return Err(bad("the file does not begin as a journal does"));
        }
        if u64::from(crc32c::crc32c(&common[12..])) != number(common, 8) & u64::from(u32::MAX) {
            return Err(bad("the checksum of the file's head is wrong"));
        }
        match (number(common, 12) & u64::from(u16::MAX)) as u16 {
            VERSION => Self::of_this_layout(bytes),
            other => Err(SegmentHeadError::OtherLayout(other)),
        }
    }

    fn of_this_layout(bytes: &[u8]) -> Result<Self, SegmentHeadError> {
        let bad = SegmentHeadError::Bad;
        let head = bytes.get(..SEGMENT_HEAD_BYTES).ok_or(bad("the head of the file is cut off"))?;
        if u64::from(crc32c::crc32c(&head[40..48])) != number(head, 48) {
            return Err(bad("the checksum of the file's salt is wrong"));
        }
        let salt = Salt::from_raw(number(head, 40));
        Ok(Self { number: number(head, 16), first_commit: number(head, 24), oldest: number(head, 32), salt })
    }
}

fn number(head: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(head[at..at + 8].try_into().expect("the head is long enough"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: SegmentHead = SegmentHead { number: 3, first_commit: 77, oldest: 2, salt: Salt::from_raw(5) };

    #[test]
    fn a_head_reads_as_it_was_written_and_every_flipped_bit_is_noticed() {
        let good = HEAD.to_bytes();
        assert_eq!(SegmentHead::from_bytes(&good), Ok(HEAD));
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good;
                bad[at] ^= 1 << bit;
                assert!(matches!(SegmentHead::from_bytes(&bad), Err(SegmentHeadError::Bad(_))), "{at}");
            }
        }
    }

    /// Layout 1 had no salt.
    #[test]
    fn another_layout_is_told_whatever_follows_what_all_have() {
        for version in [1_u16, 99] {
            let mut other = HEAD.to_bytes();
            other[12..14].copy_from_slice(&version.to_le_bytes());
            let checksum = crc32c::crc32c(&other[12..COMMON_BYTES]);
            other[8..12].copy_from_slice(&checksum.to_le_bytes());
            let read = SegmentHead::from_bytes(&other[..COMMON_BYTES]);
            assert_eq!(read, Err(SegmentHeadError::OtherLayout(version)));
        }
    }

    #[test]
    fn only_names_that_this_library_gives_are_segments() {
        assert_eq!(segment_number(&segment_name(0x2a)), Some(0x2a));
        for name in
            ["journal-2a.log", "journal-000000000000002A.log", "journal-000000000000002a.log.bad", "LOCK"]
        {
            assert_eq!(segment_number(name), None, "{name}");
        }
    }
}
