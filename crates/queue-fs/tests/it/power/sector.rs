//! The parts of a file that survive a power cut.

use queue_core::{Rng, SeededRng};

/// Disks write whole sectors.
const SECTOR_BYTES: u64 = 512;

/// One change of a file that was not flushed.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Write { offset: u64, bytes: Vec<u8> },
    Resize(u64),
}

/// How likely a piece survives, in percent; drawn once for each cut, so that some cuts take
/// everything and some nothing.
const LIKELIHOODS: [u64; 5] = [0, 10, 50, 90, 100];

pub(crate) fn apply(content: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Resize(size) => content.resize(usize::try_from(*size).expect("small"), 0),
        Change::Write { offset, bytes } => write(content, *offset, bytes),
    }
}

/// Applies the changes that survive, piece by piece.
pub(crate) fn apply_some(content: &mut Vec<u8>, changes: &[Change], rng: &SeededRng) {
    let likelihood = pick(&LIKELIHOODS, rng);
    for change in changes {
        match change {
            Change::Resize(_) if chance(likelihood, rng) => apply(content, change),
            Change::Resize(_) => {}
            Change::Write { offset, bytes } => {
                for (at, piece) in sectors(*offset, bytes) {
                    if chance(likelihood, rng) {
                        write(content, at, piece);
                    }
                }
            }
        }
    }
}

pub(crate) fn chance(percent: u64, rng: &SeededRng) -> bool {
    rng.next_u64() % 100 < percent
}

pub(crate) fn pick<T: Copy>(choices: &[T], rng: &SeededRng) -> T {
    choices[usize::try_from(rng.next_u64() % choices.len() as u64).expect("small")]
}

fn write(content: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let start = usize::try_from(offset).expect("small");
    let end = start + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[start..end].copy_from_slice(bytes);
}

fn sectors(offset: u64, bytes: &[u8]) -> Vec<(u64, &[u8])> {
    let (mut pieces, mut at, mut rest) = (Vec::new(), offset, bytes);
    while !rest.is_empty() {
        let room = usize::try_from(SECTOR_BYTES - at % SECTOR_BYTES).expect("small");
        let (piece, behind) = rest.split_at(room.min(rest.len()));
        pieces.push((at, piece));
        at += piece.len() as u64;
        rest = behind;
    }
    pieces
}
