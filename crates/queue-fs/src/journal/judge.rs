//! Deciding whether bytes that are no record are a torn end or damage.

use super::{Journal, Mark, Position};
use crate::{
    error::FsFault,
    format::{Salt, find_next, segment_name},
    sys::FsFile,
};

/// Bytes that are no record where one should begin.
pub(crate) struct Suspect<'s> {
    /// The bytes from some offset of the segment on.
    pub(crate) bytes: &'s [u8],
    /// Where in these bytes.
    pub(crate) at: usize,
    /// Where in the segment.
    pub(crate) place: Position,
    /// That of the segment, if it is known.
    pub(crate) salt: Option<Salt>,
    /// What is wrong.
    pub(crate) what: &'static str,
}

impl Suspect<'_> {
    /// Whether the mark says that the journal was durable beyond this place.
    pub(crate) fn was_marked(&self, mark: Option<Mark>) -> bool {
        mark.is_some_and(|mark| mark.synced > self.place)
    }

    /// Whether a later record says that the journal was durable beyond this place.
    pub(crate) fn is_vouched_for(&self, commit_before: u64) -> bool {
        let mut from = self.at + 1;
        while let Some((at, head)) = find_next(self.bytes, from, self.salt) {
            if head.synced > self.place.offset && head.commit > commit_before {
                return true;
            }
            from = at + 1;
        }
        false
    }
}

impl Journal {
    /// Bytes that are no record are either the remains of the last writes before a crash, for which
    /// no caller got an answer, and are cut off; or they are a durable record that was damaged, and
    /// are reported. Evidence of durability decides.
    pub(super) fn judge(
        &mut self,
        file: &dyn FsFile,
        mark: Option<Mark>,
        suspect: &Suspect<'_>,
    ) -> Result<(), FsFault> {
        if suspect.was_marked(mark) || suspect.is_vouched_for(self.commit) || self.is_sealed(mark)? {
            let Position { segment, offset } = suspect.place;
            return Err(FsFault::corrupt(segment_name(segment), offset, suspect.what));
        }
        self.cut(file, suspect.place)
    }

    /// Whether the next segment proves that more records were durable here, or that none followed.
    /// An unused next segment proves only the former: its creator may have crashed, and others gone
    /// on in this one.
    fn is_sealed(&mut self, mark: Option<Mark>) -> Result<bool, FsFault> {
        let next = self.tail.segment + 1;
        let head = self.files.head(next);
        // Another process may still remove that segment and create a new one.
        self.files.forget(next);
        let head = match head {
            Ok(Ok(head)) => head,
            Ok(Err(_)) => return Ok(false),
            Err(fault) if fault.is_missing() => return Ok(false),
            Err(fault) => return Err(fault),
        };
        if head.first_commit != self.commit + 1 {
            return Ok(head.first_commit > self.commit);
        }
        Ok(mark.is_some_and(|mark| mark.visible.segment >= next) || self.has_records(next)?)
    }

    /// Truncates a segment and flushes that at once, so that no cut bytes can reappear after a
    /// later record.
    fn cut(&mut self, file: &dyn FsFile, at: Position) -> Result<(), FsFault> {
        let cut = file.set_size(at.offset).and_then(|()| file.sync());
        cut.map_err(|error| self.poison(FsFault::io(&segment_name(at.segment), error)))
    }
}
