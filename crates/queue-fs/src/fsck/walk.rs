//! Going through all segment files, past damage.

use super::locked_store::LockedStore;
use crate::{
    error::FsFault,
    format::{
        Head, ParsedRecord, SEGMENT_HEAD_BYTES, Salt, SegmentHead, SegmentHeadError, find_next, parse,
        segment_name,
    },
    journal::{FIRST, Position, SegmentFiles, Suspect, read},
};

/// What is said of files and records of another layout.
pub(super) const OTHER_VERSION: &str = "it was written by another version";

/// A file, a record or damage, met in the order of records.
#[derive(Clone, Copy, Debug)]
pub(super) enum WalkEvent<'s> {
    /// A file begins, with the number in its name. A leftover is what a crash left of making it; it
    /// has no records, and goes with the next open.
    File { number: u64, bytes: u64, head: Result<SegmentHead, SegmentHeadError>, is_leftover: bool },
    /// A record, where it stands, and its changes.
    Record { head: Head, at: Position, changes: &'s [u8] },
    /// Bytes that are no record, up to the next one or the end.
    Bad { at: Position, bytes: u64, what: &'static str, is_torn: bool },
}

/// Visits all files and records, and skips bytes that are no record.
pub(super) fn walk(place: &LockedStore, mut step: impl FnMut(WalkEvent<'_>)) -> Result<(), FsFault> {
    let mut files = SegmentFiles::new(place.fs.clone());
    let order = in_order(place, &mut files)?;
    let mut commit = 0;
    for number in &order {
        let bytes = content(&mut files, *number)?;
        let head = SegmentHead::from_bytes(&bytes);
        let own_number = head.map_or(*number, |head| head.number);
        let is_last = order.last() == Some(number) && place.numbers.last() == Some(number);
        let salt = salt_of(&bytes, head);
        // A crash while a segment is made leaves a last file without records. A segment that was
        // finished and not yet used follows on the last record, and is no leftover.
        let is_unused = is_last && !is_marked(place, own_number) && find_next(&bytes, 0, salt).is_none();
        let follows_on = head.is_ok_and(|head| head.first_commit > commit);
        let is_known = !matches!(head, Err(SegmentHeadError::OtherLayout(_)));
        let is_newborn = *number == FIRST && head.is_err() && place.mark.is_none();
        let is_leftover = is_unused && is_known && !follows_on && (place.numbers.len() > 1 || is_newborn);
        step(WalkEvent::File { number: *number, bytes: bytes.len() as u64, head, is_leftover });
        if is_leftover {
            continue;
        }
        let number = *number;
        let bytes = &bytes[..];
        Segment { place, number, own_number, bytes, salt, is_last, commit: &mut commit }.walk(&mut step);
    }
    Ok(())
}

/// The files by the numbers of their first records, since names may have been swapped. Those that
/// say nothing of themselves come last.
fn in_order(place: &LockedStore, files: &mut SegmentFiles) -> Result<Vec<u64>, FsFault> {
    let mut order = Vec::with_capacity(place.numbers.len());
    for number in &place.numbers {
        let bytes = content(files, *number)?;
        let first_commit = match SegmentHead::from_bytes(&bytes) {
            Ok(head) => Some(head.first_commit),
            Err(_) => find_next(&bytes, 0, None).map(|(_, first)| first.commit),
        };
        order.push((first_commit.unwrap_or(u64::MAX), *number));
    }
    order.sort_unstable();
    Ok(order.into_iter().map(|(_, number)| number).collect())
}

fn content(files: &mut SegmentFiles, number: u64) -> Result<Vec<u8>, FsFault> {
    let file = files.segment(number)?;
    let size = file.size().map_err(|error| FsFault::io(&segment_name(number), error))?;
    read(&*file, number, 0, size)
}

/// Where the head is damaged its first record says it.
fn salt_of(bytes: &[u8], head: Result<SegmentHead, SegmentHeadError>) -> Option<Salt> {
    head.ok().map(|head| head.salt).or_else(|| find_next(bytes, 0, None).map(|(_, first)| first.salt))
}

fn is_marked(place: &LockedStore, number: u64) -> bool {
    place.mark.is_some_and(|mark| mark.visible.segment >= number || mark.synced.segment >= number)
}

struct Segment<'s> {
    place: &'s LockedStore,
    /// That in its name.
    number: u64,
    /// That in its head, if it has a sound one.
    own_number: u64,
    bytes: &'s [u8],
    salt: Option<Salt>,
    is_last: bool,
    /// The number of the last record that was met.
    commit: &'s mut u64,
}

impl Segment<'_> {
    fn walk(&mut self, step: &mut impl FnMut(WalkEvent<'_>)) {
        let mut at = SEGMENT_HEAD_BYTES.min(self.bytes.len());
        loop {
            match parse(self.bytes, at, self.salt) {
                ParsedRecord::End => return,
                ParsedRecord::Record { head, changes, next } => {
                    *self.commit = head.commit;
                    let record = self.position(at);
                    step(WalkEvent::Record { head, at: record, changes: &self.bytes[changes] });
                    at = next;
                }
                ParsedRecord::Bad(what) => at = self.bad(at, what, step),
                ParsedRecord::OtherLayout(_) => at = self.bad(at, OTHER_VERSION, step),
            }
        }
    }

    /// Answers where to go on.
    fn bad(&self, at: usize, what: &'static str, step: &mut impl FnMut(WalkEvent<'_>)) -> usize {
        // The mark speaks of segments by their own numbers.
        let place = Position { segment: self.own_number, offset: at as u64 };
        let suspect = Suspect { bytes: self.bytes, at, place, salt: self.salt, what };
        let is_damage =
            !self.is_last || suspect.was_marked(self.place.mark) || suspect.is_vouched_for(*self.commit);
        let next = find_next(self.bytes, at + 1, self.salt).map(|(next, _)| next).filter(|_| is_damage);
        let next = next.unwrap_or(self.bytes.len());
        step(WalkEvent::Bad { at: self.position(at), bytes: (next - at) as u64, what, is_torn: !is_damage });
        next
    }

    fn position(&self, at: usize) -> Position {
        Position { segment: self.number, offset: at as u64 }
    }
}
