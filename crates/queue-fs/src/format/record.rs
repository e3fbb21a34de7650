//! The frame around the changes of one transaction: head, checksums, search for the next record.

use super::{Salt, VERSION};
use queue_core::Timestamp;
use std::ops::Range;

/// The length of a record's head, in bytes.
pub(crate) const RECORD_HEAD_BYTES: usize = 64;
/// Marks the place where a record begins, so that what follows damage can be found again.
const MARKER: [u8; 4] = *b"qRec";
/// The checksum covers everything behind it.
const CHECKED_FROM: usize = 8;

/// What a record says besides its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Its number, one more than that of the record before it.
    pub(crate) commit: u64,
    /// Up to this offset its segment was known to be durable when it was written. So a bad record
    /// before that offset was good once, and one behind it may have been torn by a power cut.
    pub(crate) synced: u64,
    /// Segments below this number are not needed any more.
    pub(crate) oldest: u64,
    /// The highest number of a life so far.
    pub(crate) last_seq: u64,
    /// The store's time.
    pub(crate) time: Timestamp,
    /// That of its segment.
    pub(crate) salt: Salt,
}

/// What a parser finds at an offset of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ParsedRecord {
    /// A record; its changes, and where the next one begins.
    Record { head: Head, changes: Range<usize>, next: usize },
    /// The end of the bytes.
    End,
    /// No record, in words.
    Bad(&'static str),
    /// A sound record of another layout.
    OtherLayout(u16),
}

/// Makes room for the head of a record; changes are to be appended.
pub(crate) fn start(out: &mut Vec<u8>) -> usize {
    let at = out.len();
    out.resize(at + RECORD_HEAD_BYTES, 0);
    at
}

/// Writes the head of the record that began at `at` and ends with the bytes.
pub(crate) fn seal(out: &mut [u8], at: usize, head: &Head) {
    let record = &mut out[at..];
    let changes = u32::try_from(record.len() - RECORD_HEAD_BYTES).expect("a record is shorter than 4 GiB");
    record[..4].copy_from_slice(&MARKER);
    record[8..12].copy_from_slice(&changes.to_le_bytes());
    record[12..14].copy_from_slice(&VERSION.to_le_bytes());
    record[14..16].copy_from_slice(&0_u16.to_le_bytes());
    for (n, number) in [head.commit, head.synced, head.oldest, head.last_seq].into_iter().enumerate() {
        record[16 + 8 * n..24 + 8 * n].copy_from_slice(&number.to_le_bytes());
    }
    record[48..56].copy_from_slice(&head.time.as_millis().to_le_bytes());
    record[56..64].copy_from_slice(&head.salt.as_raw().to_le_bytes());
    let checksum = crc32c::crc32c(&record[CHECKED_FROM..]);
    record[4..8].copy_from_slice(&checksum.to_le_bytes());
}

/// Looks at the bytes from an offset on. Only what has the salt of the segment is a record, if that
/// is known.
pub(crate) fn parse(bytes: &[u8], at: usize, salt: Option<Salt>) -> ParsedRecord {
    let rest = &bytes[at.min(bytes.len())..];
    if rest.is_empty() {
        return ParsedRecord::End;
    }
    let Some(head) = rest.get(..RECORD_HEAD_BYTES) else { return ParsedRecord::Bad("its head is cut off") };
    if head[..4] != MARKER {
        return ParsedRecord::Bad("there is no mark of a record");
    }
    let len = u32::from_le_bytes(array(head, 8)) as usize;
    let Some(record) = rest.get(..RECORD_HEAD_BYTES + len) else {
        return ParsedRecord::Bad("its end is cut off");
    };
    // The checksum precedes the version: a damaged byte must not look like another layout.
    if crc32c::crc32c(&record[CHECKED_FROM..]) != u32::from_le_bytes(array(head, 4)) {
        return ParsedRecord::Bad("the checksum is wrong");
    }
    let version = u16::from_le_bytes(array(head, 12));
    if version != VERSION {
        return ParsedRecord::OtherLayout(version);
    }
    let head = read_head(head);
    // The salt keeps the content of a payload from being taken for a record.
    if salt.is_some_and(|salt| salt != head.salt) {
        return ParsedRecord::Bad("it has not the salt of its file");
    }
    let changes = at + RECORD_HEAD_BYTES..at + RECORD_HEAD_BYTES + len;
    ParsedRecord::Record { head, next: changes.end, changes }
}

fn read_head(head: &[u8]) -> Head {
    let number = |n: usize| u64::from_le_bytes(array(head, 16 + 8 * n));
    let time = Timestamp::from_millis(i64::from_le_bytes(array(head, 48)));
    let salt = Salt::from_raw(number(5));
    Head { commit: number(0), synced: number(1), oldest: number(2), last_seq: number(3), time, salt }
}

/// The first sound record at or behind an offset.
pub(crate) fn find_next(bytes: &[u8], from: usize, salt: Option<Salt>) -> Option<(usize, Head)> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        at += rest.windows(MARKER.len()).position(|window| window == MARKER)?;
        if let ParsedRecord::Record { head, .. } = parse(bytes, at, salt) {
            return Some((at, head));
        }
        at += 1;
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("the head is long enough")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: Salt = Salt::from_raw(3);
    const HEAD: Head =
        Head { commit: 7, synced: 40, oldest: 2, last_seq: 9, time: Timestamp::from_millis(-5), salt: SALT };

    fn record(changes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let at = start(&mut out);
        out.extend_from_slice(changes);
        seal(&mut out, at, &HEAD);
        out
    }

    #[test]
    fn a_record_reads_as_it_was_written() {
        let mut bytes = record(b"abc");
        bytes.extend(record(b""));
        let ParsedRecord::Record { head, changes, next } = parse(&bytes, 0, Some(SALT)) else {
            panic!("it is a record")
        };
        assert_eq!((head, &bytes[changes]), (HEAD, &b"abc"[..]));
        assert!(
            matches!(parse(&bytes, next, Some(SALT)), ParsedRecord::Record { next, .. } if next == bytes.len())
        );
        assert_eq!(parse(&bytes, bytes.len(), Some(SALT)), ParsedRecord::End);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let good = record(b"abc");
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                assert!(matches!(parse(&bad, 0, Some(SALT)), ParsedRecord::Bad(_)), "bit {bit} of byte {at}");
            }
            assert!(
                at == 0 || matches!(parse(&good[..at], 0, Some(SALT)), ParsedRecord::Bad(_)),
                "cut at {at}"
            );
        }
    }

    #[test]
    fn a_record_behind_damage_is_found() {
        let mut bytes = b"qRecqRe torn".to_vec();
        let at = bytes.len();
        bytes.extend(record(b"abc"));
        assert_eq!(find_next(&bytes, 0, Some(SALT)), Some((at, HEAD)));
        assert_eq!(find_next(&bytes, at + 1, Some(SALT)), None);
    }

    #[test]
    fn a_record_with_another_salt_is_none_unless_the_salt_is_unknown() {
        let bytes = record(b"abc");
        let other = Some(Salt::from_raw(4));
        assert!(matches!(parse(&bytes, 0, other), ParsedRecord::Bad(_)));
        assert_eq!(find_next(&bytes, 0, other), None);
        assert_eq!(find_next(&bytes, 0, None), Some((0, HEAD)));
    }
}
