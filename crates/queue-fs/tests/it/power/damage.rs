//! Damage of a store's files by a bad disk, or by hand.

use crate::power::{disk::Disk, sector::pick};
use queue_core::{Rng, SeededRng};

/// A kind of damage to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A bit flips.
    Flip,
    /// The end is cut off.
    Cut,
    /// A sector or less becomes zeros.
    Zeros,
    /// Bytes of the file are appended to it.
    Tail,
    /// The file is removed.
    Remove,
    /// The file swaps names with another segment.
    Swap,
    /// The file is copied to another name.
    Copy,
    /// An earlier version of the file is copied to another name.
    OldCopy,
    /// The file is replaced by an earlier version.
    Stale,
}

/// Every kind of damage by a disk or by hand.
pub(crate) const ALL: [Kind; 9] = [
    Kind::Flip,
    Kind::Cut,
    Kind::Zeros,
    Kind::Tail,
    Kind::Remove,
    Kind::Swap,
    Kind::Copy,
    Kind::OldCopy,
    Kind::Stale,
];
/// The kinds that lose no record: everything still exists, elsewhere.
pub(crate) const LOSSLESS: [Kind; 3] = [Kind::Swap, Kind::Copy, Kind::OldCopy];

const ZEROS_MAX: usize = 512;

/// Damages one file, and describes how.
pub(crate) fn damage(disk: &Disk, kinds: &[Kind], rng: &SeededRng) -> String {
    let files: Vec<_> = disk.listing().into_iter().filter(|(_, size)| *size > 0).collect();
    let sizes: usize = files.iter().map(|(_, size)| size).sum();
    let mut at = below(sizes, rng);
    let mut all = files.iter();
    let (name, _) = all
        .find(|(_, size)| {
            let is_here = at < *size;
            at -= if is_here { 0 } else { *size };
            is_here
        })
        .expect("within the files");
    let bit = rng.next_u64() % 8;
    let kind = pick(kinds, rng);
    match kind {
        Kind::Flip => disk.tamper(name, |bytes| bytes[at] ^= 1 << bit),
        Kind::Cut => disk.tamper(name, |bytes| bytes.truncate(at)),
        Kind::Zeros => disk.tamper(name, |bytes| {
            let end = bytes.len().min(at + 1 + below(ZEROS_MAX, rng));
            bytes[at..end].fill(0);
        }),
        Kind::Tail => disk.tamper(name, |bytes| bytes.extend_from_within(at..)),
        Kind::Remove | Kind::Swap | Kind::Copy | Kind::OldCopy | Kind::Stale => {
            return of_files(disk, kind, rng);
        }
    }
    format!("{kind:?} at byte {at} of {name}, bit {bit}")
}

/// Damage of a segment as a whole.
fn of_files(disk: &Disk, kind: Kind, rng: &SeededRng) -> String {
    let segments = segments(disk);
    let one = &segments[below(segments.len(), rng)];
    let other = &segments[below(segments.len(), rng)];
    match kind {
        // One segment is left, or there would be no store.
        Kind::Remove if segments.len() > 1 => disk.remove_by_hand(one),
        Kind::Swap if one != other => {
            disk.rename_by_hand(one, "aside");
            disk.rename_by_hand(other, one);
            disk.rename_by_hand("aside", other);
        }
        Kind::Copy | Kind::OldCopy => {
            let last = segments.last().expect("there is one");
            let number = u64::from_str_radix(&last[8..24], 16).expect("a segment has a number");
            let content = if kind == Kind::Copy { disk.content(one) } else { older(disk, one) };
            disk.put(&format!("journal-{:016x}.log", number + 1), content);
        }
        Kind::Stale => disk.put(one, older(disk, one)),
        _ => {}
    }
    format!("{kind:?} of {one}, and perhaps {other}")
}

/// The first half of a file.
fn older(disk: &Disk, name: &str) -> Vec<u8> {
    let mut content = disk.content(name);
    content.truncate(content.len() / 2);
    content
}

pub(crate) fn segments(disk: &Disk) -> Vec<String> {
    let names = disk.listing().into_iter().map(|(name, _)| name);
    names.filter(|name| name.starts_with("journal-0")).collect()
}

fn below(bound: usize, rng: &SeededRng) -> usize {
    usize::try_from(rng.next_u64() % bound as u64).expect("small")
}
